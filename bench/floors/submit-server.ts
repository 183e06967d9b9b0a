import { createHash, randomUUIDv7 } from 'node:crypto'
import { fastify } from 'fastify'
import { Pool } from 'pg'

// The least that a submission does: parse the body, write the job row, its queue row and the record of its Idempotency-Key in one transaction, answer.

const POOL_SIZE = 20
const INSERT_JOB = `
  insert into job (id, account_id, type, endpoint_key, inputs, cost, created_at)
  values ($1, $2, 'voice', 'voice.tts', $3, $4, now())`
const INSERT_QUEUED = `
  insert into pgboss.job (id, name, data, retry_limit, retry_delay, expire_seconds, heartbeat_seconds, policy)
  values ($1, 'voice.espeak', $2, 1000, 1, 82800, 10, 'standard')`
const INSERT_RECORD = `
  insert into idempotency_record (account_id, key, request_hash, job_id) values ($1, $2, $3, $4) on conflict do nothing`

const hashOf = (inputs: object) => createHash('sha256').update(JSON.stringify(inputs)).digest()

const { DATABASE_URL, ACCOUNT_ID } = process.env
const pool = new Pool({ connectionString: DATABASE_URL, max: POOL_SIZE })
const app = fastify()

app.post<{ Body: { inputs: { text: string } } }>('/', async (request, reply) => {
  const { inputs } = request.body
  const key = request.headers['idempotency-key']
  const id = randomUUIDv7()
  const client = await pool.connect()
  try {
    await client.query('begin')
    if (key !== undefined)
      await client.query({ name: 'record', text: INSERT_RECORD, values: [ACCOUNT_ID, key, hashOf(inputs), id] })
    const job = [id, ACCOUNT_ID, JSON.stringify(inputs), inputs.text.length]
    await client.query({ name: 'job', text: INSERT_JOB, values: job })
    await client.query({ name: 'queued', text: INSERT_QUEUED, values: [id, JSON.stringify({ jobId: id })] })
    await client.query('commit')
  } finally {
    client.release()
  }
  return reply.code(202).send({ job_id: id, status: 'queued' })
})

process.stdout.write(`ready ${await app.listen({ port: 0, host: '127.0.0.1' })}\n`)
