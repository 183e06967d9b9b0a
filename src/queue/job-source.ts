/** One delivery of a queued job: settling it twice, or after it was delivered to another, has no effect. */
export interface Delivery {
  readonly id: string
  readonly retryCount: number
  readonly jobId: string
  /** Limits how many of its jobs run in a process, where its kind has such keys. */
  readonly concurrencyKey?: string | undefined
  /** What will do the work, where jobs wait for it. */
  readonly server?: string
  /**
   * What the claim of its row brought (`RowClaim`); null where another delivery of that claim has it. Absent: the row is still to be claimed.
   */
  readonly claimed?: ClaimedWith | null
  /** What asked for it; absent where that was before a release that kept it, or nothing did. */
  readonly origin?: Origin
}

/** A job's own row, claimed in the statement that took its delivery out of the queue. */
export interface ClaimedWith {
  /** The columns of the claim. */
  readonly row: unknown
  /** When the statement was sent, in milliseconds of `performance.now()`. */
  readonly since: number
}

/**
 * Claims the rows of jobs in the statement that takes their deliveries: one round trip and one commit instead of two. It waits for no
 * lock: a row that it leaves, whatever for, is claimed in a statement of its own afterwards.
 */
export interface RowClaim {
  /** Common table expressions, of which `claimed` has a row, with its `id`, for each job that is now this worker's. @param ids SQL: an array */
  expressions(ids: string, parameter: `$${number}`): string
  /** The value of that parameter. */
  readonly value: unknown
}

/** What names a delivery in the queue itself, for those that take it out in a statement of their own. */
export interface QueueRow extends Pick<Delivery, 'id' | 'retryCount'> {
  readonly queue: string
}

/** Where a queued job or delivery comes from: kept with its queue row, and there alone. */
export interface Origin {
  /** Of the request that submitted the job. */
  readonly requestId?: string
  /** A `traceparent`: the span that queued it. */
  readonly trace?: string
}

/** What a source brought. */
export interface Taken {
  readonly deliveries: readonly Delivery[]
  /** Whether it is worth polling again at once. */
  readonly more: boolean
}

/** Decides which waiting jobs a worker gets next. */
export interface JobSource {
  /** At most `free` jobs. `known` are the deliveries that already run here. */
  take(free: number, known: readonly string[]): Promise<Taken>
  /** A job has ended here and `free` slots are free now: whether there may be something new to take. */
  left(delivery: Delivery, free: number): boolean
  /** New jobs may wait: what was read of the queue before is out of date. */
  invalidate?(): void
}
