import { Client } from 'pg'

// The least that a worker does: hears the id of a new row and takes the row.

const CLAIM = `
  update floor_job set status = 'processing', attempt = attempt + 1, started_at = now()
  where id = $1 and status = 'queued' returning account_id, inputs`

const ear = new Client({ connectionString: process.env.DATABASE_URL })
const hand = new Client({ connectionString: process.env.DATABASE_URL })
await Promise.all([ear.connect(), hand.connect()])
ear.on('notification', ({ payload }) => void hand.query({ name: 'claim', text: CLAIM, values: [payload] }))
await ear.query('listen floor_job')
process.stdout.write('ready\n')
