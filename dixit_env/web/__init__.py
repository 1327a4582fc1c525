"""The table in the browser: people and bots at one table, every decision kept.

`events` is what a table remembers and the state that this adds up to; `orders` turns a person's command into events;
`projection` is what one seat gets to see of it; `room` is a table while somebody is there, with its `link`s (sockets)
and `bots`; `rooms` finds and opens tables; `house` is what they share; `store` keeps events in a database and `export`
makes game records of them; `server` speaks HTTP and WebSocket by the shapes of `protocol` and the limits of `security`,
with the `pictures` of the deck.
"""
