/** A kind of background work: the queue it waits in. Its payload is the id of the job's row and its concurrency key, nothing else. */
export interface JobKind {
  readonly queue: string
}

/** Voice jobs wait in one queue per engine pool, so that a slow pool never holds up another. */
export const voiceKind = (pool: string): JobKind => ({ queue: `voice.${pool}` })

/** Generation jobs wait apart from speech: one may keep its engine for many minutes. */
export const GENERATION_KIND: JobKind = { queue: 'generate.cog' }

/** Every kind of job, each pool's own among them: the queues that workers with these pools take jobs from. Deliveries are no jobs. */
export const jobKinds = (pools: readonly string[]): JobKind[] => [GENERATION_KIND, ...pools.map(voiceKind)]

/** Webhook deliveries: a queue of their own, so that neither jobs nor deliveries wait for the other. */
export const WEBHOOK_KIND: JobKind = { queue: 'webhook' }
