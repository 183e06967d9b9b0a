import type { FastifyInstance } from 'fastify'
import { unavailable } from '../errors/service-error.ts'
import { errorBody } from './errors-to-json.ts'
import type { Readiness } from './readiness.ts'

const OK = { status: 'ok' }
const RETRY_AFTER_SECONDS = 1

export function mountHealth(app: FastifyInstance, readiness: Readiness): void {
  app.get('/health/live', (_request, reply) => reply.header('cache-control', 'no-store').send(OK))
  app.get('/health/ready', async (_request, reply) => {
    const { status, headers, body } = await readinessAnswer(readiness)
    return reply.code(status).headers(headers).send(body)
  })
}

export async function readinessAnswer(readiness: Readiness) {
  const report = await readiness.report()
  const isReady = report.status === 'ok'
  return {
    status: isReady ? 200 : 503,
    headers: {
      'cache-control': 'no-store',
      ...(!isReady && { 'retry-after': String(RETRY_AFTER_SECONDS) }),
    },
    body: isReady ? report : { ...JSON.parse(errorBody(unavailable())), ...report },
  }
}
