"""The table in the browser: people and bots at one table, every decision kept.

`events` are a table's durable events and the state that they add up to; `orders` turns a person's command into events;
`projection` is what one seat is sent of that state; `room` is a table in memory, with its sockets (`link`) and `bots`;
`rooms` finds and opens tables; `resources` are what all tables share; `store` keeps events in a database and `export`
makes game records of them; `server` speaks HTTP and WebSocket in the shapes of `protocol`, within the limits of
`security` and `connections`, and sends the `page` and the `pictures` of the deck. `library` serves past games
(`replay`) with the same `responses`. `seat_api` lets programs in, and `mcp_server` chat models through it
(`seat_client`); `study`, `study_api` and `study_export` are studies with `participants` and their `waiting_room`, and
`blind` and `blind_api` those without games.
"""
