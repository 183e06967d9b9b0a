/** One delivery of a queued job. A second or outdated settlement has no effect. */
export interface Delivery {
  readonly id: string
  readonly retryCount: number
  readonly jobId: string
  readonly accountId?: string
  readonly concurrencyKey?: string | undefined
  readonly server?: string
  /** True if a caller waits for the job. */
  readonly isAwaited?: boolean
  /** Null: another delivery has the row. Absent: `handle` claims it. */
  readonly claimed?: ClaimedWith | null
  readonly origin?: Origin
}

export interface ClaimedWith {
  readonly row: unknown
  /** Milliseconds of `performance.now()` when the statement was sent. */
  readonly since: number
}

/**
 * Claims job rows with their deliveries. It waits for no lock; `handle` claims the rows that it skips.
 * @param ids an SQL array
 * @returns table expressions; `claimed` has each claimed job's `id`
 */
export type RowClaim = (ids: string) => string

export interface QueueRow extends Pick<Delivery, 'id' | 'retryCount'> {
  readonly queue: string
}

export interface Origin {
  readonly requestId?: string
  /** A `traceparent`. */
  readonly trace?: string
}

export interface Taken {
  readonly deliveries: readonly Delivery[]
  /** True if an immediate poll may find more. */
  readonly more: boolean
}

/** Capacity for jobs that somebody waits for, or for others. */
export interface Room {
  readonly isAwaited: boolean
  readonly free: number
  /** By server; '' stands for servers that no endpoint names. */
  readonly limits: ReadonlyMap<string, number>
  /** Accounts of which no job may begin. */
  readonly full: readonly string[]
}

export const countIn = ({ isAwaited }: Room, deliveries: readonly Pick<Delivery, 'isAwaited'>[]): number =>
  deliveries.filter((delivery) => (delivery.isAwaited === true) === isAwaited).length

export interface JobSource {
  /**
   * @param free the most jobs to take
   * @param known deliveries that run here
   */
  take(free: number, known: readonly string[]): Promise<Taken>
  /**
   * Reports a job's end. Returns whether a poll may find something.
   * @param free 0 if the end made no capacity
   */
  left(delivery: Delivery, free: number): boolean
  invalidate?(): void
}
