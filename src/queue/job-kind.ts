export interface JobKind {
  readonly queue: string
}

/** One queue per pool, so a slow pool delays no other. */
export const voiceKind = (pool: string): JobKind => ({ queue: `voice.${pool}` })

/** A generation may keep its engine for many minutes. */
export const GENERATION_KIND: JobKind = { queue: 'generate.cog' }

export const jobKinds = (pools: readonly string[]): JobKind[] => [GENERATION_KIND, ...pools.map(voiceKind)]

export const WEBHOOK_KIND: JobKind = { queue: 'webhook' }
