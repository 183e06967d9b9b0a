import type { Prisma } from '../../../prisma/generated/prisma/client.ts'
import type { Context } from '../../context/context.ts'
import { type DeliveryKind, type DeliveryState, mostAttempts } from '../delivery/webhook-delivery.ts'

/** `number` counts from 1 in its round; duration and outcome are null while it runs. */
export interface AttemptView {
  readonly round: number
  readonly number: number
  readonly startedAt: Date
  readonly durationMs: number | null
  readonly outcome: string | null
  readonly responseStatus: number | null
  readonly response: string | null
}

/** Without the body, which contains signed URLs. */
export interface DeliveryView {
  readonly id: string
  readonly kind: DeliveryKind
  readonly jobId: string
  readonly url: string
  readonly state: DeliveryState
  readonly outcome: string | null
  readonly createdAt: Date
  readonly finishedAt: Date | null
  readonly nextAttemptAt: Date | null
  readonly attempts: readonly AttemptView[]
}

const ATTEMPT = {
  round: true,
  number: true,
  startedAt: true,
  durationMs: true,
  outcome: true,
  responseStatus: true,
  response: true,
} as const

const VIEW = {
  omit: { body: true, signature: true, timestamp: true, counted: true },
  include: { attempts: { select: ATTEMPT, orderBy: [{ round: 'asc' }, { number: 'asc' }] } },
} as const satisfies Prisma.WebhookDeliveryDefaultArgs

/** Reads deliveries with attempts, newest first. The caller checks access. */
export async function readDeliveries(
  { db, settings }: Pick<Context, 'db' | 'settings'>,
  where: Prisma.WebhookDeliveryWhereInput,
): Promise<DeliveryView[]> {
  const rows = await db.prisma.webhookDelivery.findMany({ where, orderBy: { id: 'desc' }, ...VIEW })
  return rows.map((row) => toView(row, mostAttempts(settings.webhookRetryDelays)))
}

interface AttemptRow extends Omit<AttemptView, 'response'> {
  readonly response: Uint8Array | null
}

interface Row extends Omit<DeliveryView, 'attempts'> {
  readonly round: number
  readonly attempt: number
  readonly nextAttemptAt: Date
  readonly attempts: readonly AttemptRow[]
}

function toView(row: Row, most: number): DeliveryView {
  const { id, kind, jobId, url, state, outcome, createdAt, finishedAt } = row
  const waits = state === 'pending' && row.attempt < most
  return {
    ...{ id, kind, jobId, url, state, outcome, createdAt, finishedAt },
    nextAttemptAt: waits ? row.nextAttemptAt : null,
    attempts: row.attempts.map((attempt) => ({
      ...attempt,
      outcome: attempt.outcome ?? (isOver(row, attempt) ? 'interrupted' : null),
      response: attempt.response === null ? null : Buffer.from(attempt.response).toString('utf8'),
    })),
  }
}

/** An attempt without an outcome that cannot run any more: its process died. */
const isOver = (row: Row, attempt: AttemptRow): boolean =>
  row.state !== 'pending' || attempt.round < row.round || attempt.number < row.attempt
