import { Client } from 'pg'

// The least that every command does: one statement over a connection of its own.

const client = new Client({ connectionString: process.env.DATABASE_URL })
await client.connect()
await client.query('select 1')
await client.end()
