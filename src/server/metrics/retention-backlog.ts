import type { Pool } from 'pg'
import { KEPT_DAYS } from '../../webhooks/delivery/webhook-delivery.ts'

/** By how long the oldest rows of a kind have outlived their time. */
export interface Backlog {
  readonly what: string
  readonly seconds: number
}

/** Over the index of what is finished. */
const WEBHOOKS = `
  select 'webhook_delivery' as what,
    greatest(0, coalesce(extract(epoch from now() - min(finished_at)) - $1 * 86400, 0))::float8 as seconds
  from webhook_delivery where finished_at is not null`

/** What the workers' maintenance should have deleted by now: all zero where it keeps up. */
export async function retentionBacklog(db: Pick<Pool, 'query'>): Promise<Backlog[]> {
  const { rows } = await db.query<Backlog>(WEBHOOKS, [KEPT_DAYS])
  return rows
}
