import type { AccountHolder } from '../../access/actor.ts'
import type { Subscriptions } from '../../callers/subscriptions.ts'
import type { Identified } from '../../concurrency/latest-stream.ts'
import type { PullStream } from '../../concurrency/pull-stream.ts'
import type { Job } from '../job-shape.ts'
import { isTerminal } from '../job-states.ts'

const MAX_REMEMBERED = 1000
/** Unlike the state of a follower that watches no value, which is an empty text. */
const LEFT = '\0'

export type JobStates = PullStream<Job>

/** Null if the job no longer matches or is deleted. */
export interface JobChange {
  readonly id: string
  readonly job: Job | null
}

export interface Interest<Row = Job> {
  /** One job until it ends; null: all rows that `accepts` takes. */
  readonly jobId: string | null
  /** True if `accepts` looks at the states of a job's deliveries. */
  readonly readsDeliveries?: boolean
  accepts(row: Row): boolean
  /** Returns true if the follower may hold an earlier state of a row that `accepts` refuses now. */
  mayHave?(row: Row): boolean
  /** Returns false if no list can still have held the deleted row when it had ended. */
  mayHaveGone?(id: string): boolean
  /** The row is sent only if one of these differs from what was sent last. Null: all that may change. */
  readonly watched?: readonly string[] | null
}

/** The values of a row that may change while it is followed, as text. */
export type Values = Readonly<Record<string, string>>

export interface Shape<Row, T extends Identified> {
  of(row: Row): T
  readonly left: ((id: string) => T) | null
}

export const STATES: Shape<Job, Job> = { of: (job) => job, left: null }
export const CHANGES: Shape<Job, JobChange> = { of: (job) => ({ id: job.id, job }), left: (id) => ({ id, job: null }) }

export interface Follower<Row = Job> {
  readonly interest: Interest<Row>
  push(row: Row): void
  readonly leave: ((id: string) => void) | null
  finish(): void
  readonly sent: Map<string, string>
}

/** A row to read again, for some followers or, if null, for all of the account. */
export interface Wanted<Row = Job> {
  readonly id: string
  readonly accountId: string
  readonly followers: ReadonlySet<Follower<Row>> | null
}

/** Any role of the database may notify of another account's row, which must not take the place of the owner's own notification. */
export const wantedKey = ({ accountId, id }: Pick<Wanted, 'accountId' | 'id'>): string => `${accountId} ${id}`

export const mergeWanted = <Row>(older: Wanted<Row>, newer: Wanted<Row>): Wanted<Row> => ({
  ...newer,
  followers:
    older.followers === null || newer.followers === null ? null : new Set([...older.followers, ...newer.followers]),
})

export interface Followers<Row = Job> {
  readonly accounts: ReadonlyMap<string, ReadonlySet<Follower<Row>>>
  /**
   * @param counted whether it counts against the caller's subscriptions
   * @throws RATE_LIMITED
   */
  add<T extends Identified>(
    caller: AccountHolder,
    interest: Interest<Row>,
    shape: Shape<Row, T>,
    counted: boolean,
  ): { readonly follower: Follower<Row>; readonly states: PullStream<T> }
}

export function openFollowers<Row>(subscriptions: Subscriptions): Followers<Row> {
  const accounts = new Map<string, Set<Follower<Row>>>()
  const add: Followers<Row>['add'] = (caller, interest, shape, counted) => {
    const { accountId } = caller
    const onEnd = (): void => {
      const followers = accounts.get(accountId)
      followers?.delete(follower)
      if (followers?.size === 0) accounts.delete(accountId)
    }
    const { states, push, finish } = subscriptions.open<ReturnType<typeof shape.of>>(caller, { onEnd, counted })
    const { left } = shape
    const follower: Follower<Row> = {
      ...{ interest, finish, sent: new Map() },
      push: (row) => push(shape.of(row)),
      leave: left === null ? null : (id) => push(left(id)),
    }
    accounts.set(accountId, (accounts.get(accountId) ?? new Set()).add(follower))
    return { follower, states }
  }
  return { accounts, add }
}

export function anyWants(followers: Iterable<Follower>, jobId: string): boolean {
  for (const { interest } of followers) if (interest.jobId === null || interest.jobId === jobId) return true
  return false
}

export function anyReadsDeliveries(followers: Iterable<Follower>): boolean {
  for (const { interest } of followers) if (interest.readsDeliveries) return true
  return false
}

export function notifyFollower(follower: Follower, { job, values }: FetchedJob): void {
  const { interest } = follower
  if (interest.jobId !== null && interest.jobId !== job.id) return
  tellFollower(follower, job, values)
  if (interest.jobId !== null && isTerminal(job.status)) follower.finish()
}

/** Sends the row if it matches and a watched value has changed. */
export function tellFollower<Row extends Identified>(
  { interest, sent, leave, push }: Follower<Row>,
  row: Row,
  values: Values,
): void {
  const last = sent.get(row.id)
  if (interest.accepts(row)) {
    const state = stateOf(values, interest.watched)
    if (last === state) return
    remember(sent, row.id, state)
    push(row)
  } else if (leave !== null && (last === undefined ? interest.mayHave?.(row) : last !== LEFT)) {
    remember(sent, row.id, LEFT)
    leave(row.id)
  }
}

const stateOf = (values: Values, watched: Interest['watched']): string =>
  (watched ?? Object.keys(values)).map((name) => values[name]).join(' ')

function remember(sent: Map<string, string>, id: string, state: string): void {
  // Keeps the oldest first.
  if (sent.size > 1) sent.delete(id)
  sent.set(id, state)
  if (sent.size > MAX_REMEMBERED) sent.delete(sent.keys().next().value as string)
}

const UNFINISHED = { completedAt: null, errorCode: null, isProhibited: null } as const

const SETS_OF_STATES: readonly NonNullable<Job['deliveryStates']>[] = [
  ...[[], ['pending'], ['succeeded'], ['failed']],
  ...[
    ['pending', 'succeeded'],
    ['pending', 'failed'],
    ['succeeded', 'failed'],
    ['pending', 'succeeded', 'failed'],
  ],
] as const

/** An earlier list may hold the job in one of these states. */
export function earlierStates(job: Job): Job[] {
  const { deliveryStates, attempt } = job
  const unfinished = { ...job, ...UNFINISHED, ...(deliveryStates && { deliveryStates: [] }) }
  const statuses = [
    ...(job.status === 'queued' ? [] : ['queued' as const]),
    ...(job.status === 'processing' || attempt === 0 ? [] : ['processing' as const]),
  ]
  // A detected language is known at the end.
  const languages = isTerminal(job.status) && job.language !== null ? [job.language, null] : [job.language]
  return [
    ...statuses.flatMap((status) => languages.map((language) => ({ ...unfinished, status, language }))),
    ...(deliveryStates ? SETS_OF_STATES.map((states) => ({ ...job, deliveryStates: states })) : []),
  ]
}

export function notifyFollowerOfGone<Row>({ interest, finish, leave, sent }: Follower<Row>, id: string): void {
  const last = sent.get(id)
  sent.delete(id)
  if (interest.jobId === id) finish()
  else if (interest.jobId === null && last !== LEFT && (last !== undefined || interest.mayHaveGone?.(id) !== false))
    leave?.(id)
}

export const keptBy = <Row>({ leave, sent }: Follower<Row>): string[] =>
  leave === null ? [] : [...sent].flatMap(([id, last]) => (last === LEFT ? [] : [id]))

export interface FetchedJob {
  readonly job: Job
  readonly values: Values
  /** Null: all followers of the account. */
  readonly followers: ReadonlySet<Follower> | null
}
