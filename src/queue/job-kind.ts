/** A kind of background work: the queue it waits in. Payload is the id of the job's row and its lane, nothing else rests in the queue. */
export interface JobKind {
  readonly queue: string
}

/** Voice jobs wait in one queue per engine pool, so that a slow pool never holds up another. */
export const voiceKind = (pool: string): JobKind => ({ queue: `voice.${pool}` })

/** Generation jobs wait apart from speech: one may keep its engine for many minutes. */
export const GENERATION_KIND: JobKind = { queue: 'generate.cog' }
/** Callbacks to receivers: a queue of their own, so that neither jobs nor callbacks wait for the other. */
export const WEBHOOK_KIND: JobKind = { queue: 'webhook' }
