import type { Parts } from '../../context/context.ts'
import { retentionBacklogSeconds } from '../../jobs/retention/retention-backlog.ts'
import { KEPT_DAYS } from '../../webhooks/delivery/webhook-delivery.ts'

/** By how long the oldest rows of a kind have outlived their time. */
interface Backlog {
  readonly what: string
  readonly seconds: number
}

/** Over the index of what is finished. */
const WEBHOOKS = `
  select 'webhook_delivery' as what,
    greatest(0, coalesce(extract(epoch from now() - min(finished_at)) - $1 * 86400, 0))::float8 as seconds
  from webhook_delivery where finished_at is not null`

/** What the workers' maintenance should have deleted by now: all zero where it keeps up. */
export async function retentionBacklog(parts: Pick<Parts, 'db' | 'settings' | 'now'>): Promise<Backlog[]> {
  const [{ rows }, { jobs, audio, chats }] = await Promise.all([
    parts.db.pool.query<Backlog>(WEBHOOKS, [KEPT_DAYS]),
    retentionBacklogSeconds(parts),
  ])
  const ofJobs = { job: jobs, artifact: audio, companion_chat: chats }
  return [...rows, ...Object.entries(ofJobs).map(([what, seconds]) => ({ what, seconds }))]
}
