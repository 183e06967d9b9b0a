import { fastify } from 'fastify'
import { Pool } from 'pg'

// A page of jobs as plain SQL reads it: fifty rows by the best index there is, presented as they come. Where no counter can know the
// total (CONDITIONS of keys, prefixes and times), it is counted here as well: it cannot be known without.

const POOL_SIZE = 20
const { DATABASE_URL, ACCOUNT_ID } = process.env
const pool = new Pool({ connectionString: DATABASE_URL, max: POOL_SIZE })
const app = fastify()

app.get<{ Querystring: { where?: string; count?: string; offset?: string } }>('/', async (request) => {
  const { where = 'true', count, offset = '0' } = request.query
  const { rows } = await pool.query({
    name: `${where} ${offset}`,
    text: `select j.id as job_id, j.type, j.endpoint_key, j.status, j.is_prohibited, j.api_key_id, k.name as api_key_name, j.created_at,
             j.completed_at
           from (select id from job where account_id = $1 and ${where} order by id desc limit 50 offset ${Number(offset)}) i
           join job j on j.id = i.id left join api_key k on k.id = j.api_key_id order by j.id desc`,
    values: [ACCOUNT_ID],
  })
  if (count === undefined) return { jobs: rows }
  const counted = await pool.query({
    name: `count ${where}`,
    text: `select count(*)::int as total from job where account_id = $1 and ${where}`,
    values: [ACCOUNT_ID],
  })
  return { jobs: rows, total: counted.rows[0].total }
})

process.stdout.write(`ready ${await app.listen({ port: 0, host: '127.0.0.1' })}\n`)
