import type { Prisma } from '../../../prisma/generated/prisma/client.ts'
import type { Context } from '../../context/context.ts'
import { type RowQuery, selectOf } from '../../db/row-query.ts'
import { mostAttempts } from '../delivery/webhook-delivery.ts'

/** Without the body, which contains signed URLs. */
export const DELIVERY_VIEW = {
  ...{ id: true, kind: true, jobId: true, url: true, state: true, outcome: true, createdAt: true, finishedAt: true },
  ...{ nextAttemptAt: true, round: true, attempt: true },
} as const

export const ATTEMPT_VIEW = {
  ...{ round: true, number: true, startedAt: true, durationMs: true, outcome: true, responseStatus: true },
  ...{ response: true, delivery: { select: { state: true, round: true, attempt: true } } },
} as const

export const oldestFirst = () => ({ orderBy: [{ round: 'asc' as const }, { number: 'asc' as const }] })

const WITH_ATTEMPTS = { ...DELIVERY_VIEW, attempts: { select: ATTEMPT_VIEW, ...oldestFirst() } }

export type Delivery = Prisma.WebhookDeliveryGetPayload<{ select: typeof WITH_ATTEMPTS }>
type Attempt = Delivery['attempts'][number]

/** Reads matching deliveries with their attempts, newest first. The caller authorises. */
export async function readDeliveries(
  { db }: Pick<Context, 'db'>,
  where: Prisma.WebhookDeliveryWhereInput,
  query?: RowQuery,
): Promise<Delivery[]> {
  const select = selectOf(WITH_ATTEMPTS, query)
  return db.prisma.webhookDelivery.findMany({ where, orderBy: { id: 'desc' }, select })
}

/** null unless it waits for another attempt */
export const nextAttemptOf = (
  { state, attempt, nextAttemptAt }: Pick<Delivery, 'state' | 'attempt' | 'nextAttemptAt'>,
  { settings }: Pick<Context, 'settings'>,
): Date | null => (state === 'pending' && attempt < mostAttempts(settings.webhookRetryDelays) ? nextAttemptAt : null)

/** null while the attempt runs */
export const outcomeOf = (attempt: Omit<Attempt, 'response'>): string | null =>
  attempt.outcome ?? (isOver(attempt) ? 'interrupted' : null)

/** An attempt without an outcome is over if its process died. */
const isOver = ({ round, number, delivery }: Omit<Attempt, 'response'>): boolean =>
  delivery.state !== 'pending' || round < delivery.round || number < delivery.attempt

export const responseOf = ({ response }: Pick<Attempt, 'response'>): string | null =>
  response === null ? null : Buffer.from(response).toString('utf8')

/** A delivery as callers see it outside of GraphQL. `number` counts from 1 in its round. */
export function viewOf(delivery: Delivery, parts: Pick<Context, 'settings'>) {
  const { id, kind, jobId, url, state, outcome, createdAt, finishedAt } = delivery
  return {
    ...{ id, kind, jobId, url, state, outcome, createdAt, finishedAt },
    nextAttemptAt: nextAttemptOf(delivery, parts),
    attempts: delivery.attempts.map((attempt) => {
      const { round, number, startedAt, durationMs, responseStatus } = attempt
      const [ended, response] = [outcomeOf(attempt), responseOf(attempt)]
      return { round, number, startedAt, durationMs, outcome: ended, responseStatus, response }
    }),
  }
}

export type DeliveryView = ReturnType<typeof viewOf>
