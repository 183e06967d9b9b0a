import type { CallerWatch } from '../callers/caller-watch.ts'
import type { Catalog } from '../catalog/catalog-cache.ts'
import type { Companion } from '../companion/companion.ts'
import type { Database } from '../db/database.ts'
import type { Bus } from '../db/notifier.ts'
import { forbidden, ServiceError, unauthorized } from '../errors/service-error.ts'
import type { ExportLane } from '../jobs/export/export-queue.ts'
import type { Spill } from '../jobs/export/spill.ts'
import type { JobFeed } from '../jobs/live/job-feed.ts'
import type { Queue } from '../queue/queue.ts'
import type { Storage } from '../storage/storage.ts'
import type { SignInThrottle } from '../users/sign-in-throttle.ts'
import type { Log } from '../values/log.ts'
import type { SecretVault } from '../values/secret-vault.ts'
import type { CallbackPresenter } from '../webhooks/delivery/callback-presenter.ts'
import type { Settings } from './config.ts'

/** A caller with an API key. */
export interface KeyActor {
  readonly kind: 'key'
  readonly accountId: string
  readonly apiKeyId: string
  readonly scopes: readonly string[]
  /** The account's balance when the key was checked: a hint for the 402 of a submission, never the charge itself. */
  readonly credits: bigint
}

/** A person who signed in. */
export interface SessionActor {
  readonly kind: 'session'
  readonly accountId: string
  readonly userId: string
  readonly sessionId: string
  /** By the person's role. */
  readonly scopes: readonly string[]
  readonly credits: bigint
}

/** An account acting without a key: the command line speaking on its behalf. */
export interface AccountActor {
  readonly kind: 'account'
  readonly accountId: string
  readonly credits: bigint
}

/** An actor of an account: a key or a session. */
export type AccountHolder = KeyActor | SessionActor | AccountActor

/** An unauthenticated caller: sees what is public. */
export interface AnonymousActor {
  readonly kind: 'anonymous'
}

/** The operator at the command line, or the service itself. */
interface SystemActor {
  readonly kind: 'system'
}

export type Actor = AccountHolder | AnonymousActor | SystemActor

/** The parts of a running service that verbs may use. */
export interface Parts {
  readonly settings: Settings
  readonly log: Log
  readonly db: Database
  readonly bus: Bus
  readonly queue: Queue
  readonly storage: Storage
  readonly catalog: Catalog
  /** Where exports wait for slow readers, and for each other. */
  readonly spill: Spill
  readonly exportLane: ExportLane
  /** How jobs change, for those who subscribe. */
  readonly jobFeed: JobFeed
  /** Tells when the key or the session of a connection ends. */
  readonly callers: CallerWatch
  readonly companion: Companion
  readonly vault: SecretVault
  readonly signIns: SignInThrottle
  readonly presenter: CallbackPresenter
  now(): Date
}

/** First argument of every verb: who asks, and the parts of the runtime. */
export interface Context extends Parts {
  readonly actor: Actor
}

/** @throws UNAUTHORIZED without a key, FORBIDDEN where the key lacks the scope */
export function requireScope(ctx: Context, scope: string): void {
  if (ctx.actor.kind === 'anonymous') throw unauthorized()
  if ('scopes' in ctx.actor && !ctx.actor.scopes.includes(scope)) throw forbidden(scope)
}

/** Whose job it is going to be. @throws UNAUTHORIZED without an account */
export function requireAccount(ctx: Pick<Context, 'actor'>): AccountHolder {
  if (ctx.actor.kind === 'anonymous' || ctx.actor.kind === 'system') throw unauthorized()
  return ctx.actor
}

/** @throws UNAUTHORIZED unless a person is signed in */
export function requireSession(ctx: Context): SessionActor {
  if (ctx.actor.kind !== 'session') throw new ServiceError('UNAUTHORIZED', 'Sign in first.')
  return ctx.actor
}

/** What a caller is counted and watched by: the id of its key, its session or, at the command line, its account. */
export function callerOf(caller: AccountHolder): string {
  if (caller.kind === 'key') return caller.apiKeyId
  return caller.kind === 'session' ? caller.sessionId : caller.accountId
}

/** What an operator's key holds. No person and no account has it by itself. */
export const OPERATOR_SCOPE = 'operator'

/** Whether the operator asks: at the command line, or with a key that holds the scope. */
export const isOperator = ({ actor }: Context): boolean =>
  actor.kind === 'system' || ('scopes' in actor && actor.scopes.includes(OPERATOR_SCOPE))

/** Verbs of the operator: at the command line, or with a key that holds the scope. @throws UNAUTHORIZED, FORBIDDEN */
export function requireOperator(ctx: Context): void {
  requireScope(ctx, OPERATOR_SCOPE)
  if (ctx.actor.kind === 'account') throw forbidden(OPERATOR_SCOPE)
}

/** Verbs of the command line alone. @throws FORBIDDEN to everybody else */
export function requireSystem(ctx: Context): void {
  if (ctx.actor.kind !== 'system') throw forbidden(OPERATOR_SCOPE)
}
