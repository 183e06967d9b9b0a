export interface JobKind {
  readonly queue: string
}

const VOICE = 'voice.'

/** One queue per pool, so a slow pool delays no other. */
export const voiceKind = (pool: string): JobKind => ({ queue: `${VOICE}${pool}` })

/** Undefined for a queue that has no pool. */
export const poolOfQueue = (queue: string): string | undefined =>
  queue.startsWith(VOICE) ? queue.slice(VOICE.length) : undefined

export const WEBHOOK_KIND: JobKind = { queue: 'webhook' }
