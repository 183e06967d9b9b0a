import type { Prisma } from '../../../prisma/generated/prisma/client.ts'
import { requireAccount, requireScope } from '../../access/require.ts'
import { ACCOUNT_ADMIN_SCOPE } from '../../access/scopes.ts'
import type { Context } from '../../context/context.ts'
import { type Connection, idQuery, type PageInput, pageShape, toConnection } from '../../db/page.ts'
import { type Detail, invalidRequest } from '../../errors/service-error.ts'
import { isId } from '../../values/id.ts'
import { type DeliveryKind, type DeliveryState, isOutcome, mostAttempts, OUTCOMES } from './webhook-delivery.ts'

/** One attempt of a delivery; `number` counts from 1 within its round. Duration and outcome are null while it runs. */
export interface AttemptView {
  readonly round: number
  readonly number: number
  readonly startedAt: Date
  readonly durationMs: number | null
  readonly outcome: string | null
  readonly responseStatus: number | null
  /** The first 1,024 bytes at most, read as UTF-8. */
  readonly response: string | null
}

/** A delivery without its body: that holds signed URLs. */
export interface DeliveryView {
  readonly id: string
  readonly kind: DeliveryKind
  readonly jobId: string
  readonly url: string
  readonly state: DeliveryState
  readonly outcome: string | null
  readonly createdAt: Date
  readonly finishedAt: Date | null
  /** Null unless it waits for another attempt. */
  readonly nextAttemptAt: Date | null
  /** Oldest first. */
  readonly attempts: readonly AttemptView[]
}

/** A page of the delivery history, narrowed by job and by outcome. */
export interface DeliveriesInput extends PageInput {
  readonly jobId?: string | null | undefined
  readonly outcome?: string | null | undefined
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
  omit: { body: true, signature: true, timestamp: true },
  include: { attempts: { select: ATTEMPT, orderBy: [{ round: 'asc' }, { number: 'asc' }] } },
} as const satisfies Prisma.WebhookDeliveryDefaultArgs

/**
 * The account's deliveries of these ids, or about these jobs, newest first; a job has one, and those that were sent again are the same.
 * @throws UNAUTHORIZED, FORBIDDEN
 */
export async function findDeliveries(
  ctx: Context,
  by: { readonly ids: readonly string[] } | { readonly jobIds: readonly string[] },
): Promise<DeliveryView[]> {
  requireScope(ctx, ACCOUNT_ADMIN_SCOPE)
  const { accountId } = requireAccount(ctx)
  const which = 'ids' in by ? { id: { in: [...by.ids] } } : { jobId: { in: [...by.jobIds] } }
  const rows = await ctx.db.prisma.webhookDelivery.findMany({
    where: { accountId, ...which },
    orderBy: { id: 'desc' },
    ...VIEW,
  })
  return rows.map((row) => toView(row, mostAttempts(ctx.settings.webhookRetryDelays)))
}

/** The account's deliveries of the last 30 days, newest first. @throws UNAUTHORIZED, FORBIDDEN, INVALID_REQUEST */
export async function webhookDeliveries(ctx: Context, input: DeliveriesInput): Promise<Connection<DeliveryView>> {
  requireScope(ctx, ACCOUNT_ADMIN_SCOPE)
  const { accountId } = requireAccount(ctx)
  const shape = pageShape(input, (text) => isId('msg', text))
  rejectViolations(input)
  const { id, ...rest } = idQuery(input, shape, 'newest', String)
  const rows = await ctx.db.prisma.webhookDelivery.findMany({
    where: {
      accountId,
      ...(input.jobId != null && { jobId: input.jobId }),
      ...(input.outcome != null && { outcome: input.outcome }),
      id,
    },
    ...rest,
    ...VIEW,
  })
  return toConnection(rows, shape, input, {
    cursorOf: (row) => row.id,
    nodeOf: (row) => toView(row, mostAttempts(ctx.settings.webhookRetryDelays)),
  })
}

function rejectViolations({ jobId, outcome }: DeliveriesInput): void {
  const details: Detail[] = []
  if (jobId != null && !isId('job', jobId)) details.push({ path: '/jobId', message: 'must be a job id' })
  if (outcome != null && !isOutcome(outcome)) {
    details.push({ path: '/outcome', message: `must be one of ${OUTCOMES.join(', ')} or a status such as status_503` })
  }
  if (details.length > 0) throw invalidRequest('Send arguments within their limits.', details)
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

/** An attempt that left no outcome and cannot be running any more: its process died. */
const isOver = (row: Row, attempt: AttemptRow): boolean =>
  row.state !== 'pending' || attempt.round < row.round || attempt.number < row.attempt
