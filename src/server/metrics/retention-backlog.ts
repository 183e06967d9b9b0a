import type { Parts } from '../../context/context.ts'
import { REMEMBERED_MS } from '../../idempotency/remember-response.ts'
import { GRACE_MS as ABANDONED_MS } from '../../jobs/lifecycle/delete-abandoned-files.ts'
import { GRACE_MS as HEARD_MS } from '../../jobs/parts/delete-heard-parts.ts'
import { retentionBacklogSeconds } from '../../jobs/retention/retention-backlog.ts'
import { SESSION_KEPT_MS } from '../../users/session.ts'
import { BODY_KEPT_SECONDS, KEPT_DAYS } from '../../webhooks/delivery/webhook-delivery.ts'

interface Backlog {
  readonly what: string
  readonly seconds: number
}

const KINDS: readonly (readonly [what: string, since: string, keptSeconds: number])[] = [
  [
    'webhook_delivery',
    'select min(finished_at) from webhook_delivery where finished_at is not null',
    KEPT_DAYS * 86_400,
  ],
  [
    'webhook_body',
    'select min(finished_at) from webhook_delivery where finished_at is not null and body is not null',
    BODY_KEPT_SECONDS,
  ],
  ['webhook_secret', 'select min(expires_at) from webhook_secret where expires_at is not null', 0],
  ['idempotency_record', 'select min(created_at) from idempotency_record', REMEMBERED_MS / 1000],
  ['session', 'select min(expires_at) from session', SESSION_KEPT_MS / 1000],
  ['sign_in_link', 'select min(expires_at) from sign_in_link', 0],
  ['abandoned_attempt', 'select min(abandoned_at) from abandoned_attempt', ABANDONED_MS / 1000],
  ['heard_attempt', 'select min(completed_at) from heard_attempt', HEARD_MS / 1000],
]

const TIDIED = KINDS.map(
  ([what, since, keptSeconds]) => `
  select '${what}' as what, greatest(0, coalesce(extract(epoch from now() - (${since})) - ${keptSeconds}, 0))::float8 as seconds`,
).join(' union all')

/** How far maintenance lags behind retention, in seconds by kind; 0 if it keeps up. */
export async function retentionBacklog(parts: Pick<Parts, 'db' | 'settings' | 'now'>): Promise<Backlog[]> {
  const [{ rows }, { jobs, audio, chats }] = await Promise.all([
    parts.db.pool.query<Backlog>(TIDIED),
    retentionBacklogSeconds(parts),
  ])
  const ofJobs = { job: jobs, artifact: audio, companion_chat: chats }
  return [...rows, ...Object.entries(ofJobs).map(([what, seconds]) => ({ what, seconds }))]
}
