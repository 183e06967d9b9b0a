export interface JobKind {
  readonly queue: string
}

/** One queue per pool, so a slow pool delays no other. */
export const voiceKind = (pool: string): JobKind => ({ queue: `voice.${pool}` })

export const WEBHOOK_KIND: JobKind = { queue: 'webhook' }
