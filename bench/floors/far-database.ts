import { startDelayProxy } from '../../test/setup/servers/delay-proxy.ts'

// The database from far away. Its address is on the line that says that it is ready, without the user and the database.

const { url } = await startDelayProxy(process.env.DATABASE_URL!, Number(process.env.ROUND_TRIP_MS))
process.stdout.write(`ready http://${new URL(url).host}\n`)
