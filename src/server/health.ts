import type { FastifyInstance } from 'fastify'
import type { Parts } from '../context/context.ts'
import { unavailable } from '../errors/service-error.ts'

const ANSWER_TIMEOUT_MS = 2_000
const OK = { status: 'ok' }

/** `/health/live`: the process answers. `/health/ready`: the database answers, too, else 503 UNAVAILABLE. */
export function mountHealth(app: FastifyInstance, parts: Pick<Parts, 'db'>): void {
  app.get('/health/live', (_request, reply) => reply.header('cache-control', 'no-store').send(OK))
  app.get('/health/ready', async (_request, reply) => {
    reply.header('cache-control', 'no-store')
    await databaseAnswers(parts)
    return OK
  })
}

/** @throws UNAVAILABLE when the database does not answer in time */
async function databaseAnswers({ db }: Pick<Parts, 'db'>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('the database did not answer in time')), ANSWER_TIMEOUT_MS)
  })
  try {
    await Promise.race([db.pool.query('select 1'), timeout])
  } catch (cause) {
    throw unavailable(cause)
  } finally {
    clearTimeout(timer)
  }
}
