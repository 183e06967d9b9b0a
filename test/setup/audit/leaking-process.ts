import { randomFillSync } from 'node:crypto'
import { Client } from 'pg'

// A process with one connection to the database, which it uses. At SIGHUP it takes more connections and memory, and keeps them.
const [CONNECTIONS, BYTES] = [5, 200 * 1024 * 1024]
const kept: unknown[] = []
const connect = async (): Promise<Client> => {
  const client = new Client({ connectionString: process.env.DATABASE_URL })
  client.on('error', () => undefined)
  await client.connect()
  kept.push(client)
  return client
}

const used = await connect()
setInterval(() => void used.query('select 1').catch(() => undefined), 500)
process.on('SIGHUP', async () => {
  kept.push(randomFillSync(Buffer.alloc(BYTES)))
  for (let more = 0; more < CONNECTIONS; more++) await (await connect()).query('select 1')
  process.stderr.write('leaked\n')
})
process.stdout.write('works\n')
