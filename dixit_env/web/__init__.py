"""The table in the browser: people and bots at one table, every decision kept.

`events` is what a table remembers and the state that this adds up to; `orders` turns a person's command into events;
`projection` is what one seat gets to see of it; `room` is a table while somebody is there (people, bots, clocks);
`rooms` finds and opens tables; `store` keeps events in a database; `server` speaks HTTP and WebSocket.
"""
