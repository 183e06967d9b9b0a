import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { CONFIRMATION_MS } from '../../access/require.ts'
import { WindowCounter } from '../../concurrency/window-counter.ts'
import { siteOf } from '../../egress/ip-ranges.ts'
import {
  beginSignIn,
  finishSignIn,
  type Identity,
  openProvider,
  type PendingSignIn,
  type Provider,
  SignInFailure,
} from '../../oidc/provider.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { signInFederated } from '../../users/federated-sign-in.ts'
import { sessionCookie } from '../authenticate.ts'
import { cookieNames, readCookie, writeCookie } from '../cookies.ts'

const BEGIN = '/console/oidc'
const CALLBACK = `${BEGIN}/callback`
/** Each sign-in has its own cookie, so those of several tabs do not disturb each other. */
const COOKIE = 'sonant_oidc_'
/** The cookies of more would make requests longer than servers take. */
const MAX_PENDING = 3
const PENDING_MS = 600_000
/** Sign-ins that ask the provider at once; more are refused. */
const MAX_AT_ONCE = 50
/** Fewer, so one site cannot close the door to others. */
const MAX_FAILURES_FROM_SITE = 40
const WINDOW_MS = 60_000
const MAX_SITES = 20_000
const MAX_RETURN_CHARACTERS = 2000

interface Kept extends PendingSignIn {
  /** The address of the console that was wanted. */
  readonly to: string
}

/**
 * The two addresses of a sign-in through the provider. Both lead back to the sign-in page, which says why a person may not come in, or goes on
 * to the wanted screen of the console.
 */
export function mountFederation(app: FastifyInstance, runtime: Runtime): void {
  const { oidc } = runtime.settings
  if (oidc === null) return
  const provider = openProvider({ ...oidc, rolesClaim: oidc.roles?.claim ?? null })
  const exchange = openExchange(provider)
  const redirecting =
    (work: (request: FastifyRequest, reply: FastifyReply) => Promise<string>) =>
    async (request: FastifyRequest, reply: FastifyReply) => {
      const location = await work(request, reply)
      return reply.code(302).header('location', location).header('cache-control', 'no-store').send()
    }
  app.get(
    BEGIN,
    redirecting((request, reply) => begin(runtime, provider, request, reply)),
  )
  app.get(
    CALLBACK,
    redirecting((request, reply) => finish(runtime, exchange, request, reply)),
  )
}

/** @throws SignInFailure */
type Exchange = (address: string, answer: URL, pending: PendingSignIn) => Promise<Identity>

function openExchange(provider: Provider): Exchange {
  const failures = new WindowCounter({ windowMs: WINDOW_MS, maxKeys: MAX_SITES })
  let asking = 0
  return async (address, answer, pending) => {
    const site = siteOf(address)
    if (asking >= MAX_AT_ONCE || failures.get(site).count >= MAX_FAILURES_FROM_SITE)
      throw new SignInFailure('away', new Error('too many sign-ins at once'))
    asking++
    // An exchange is counted before its work; a right one is taken back.
    failures.add(site)
    try {
      const identity = await finishSignIn(provider, answer, pending)
      failures.takeBack(site)
      return identity
    } finally {
      asking--
    }
  }
}

async function begin(runtime: Runtime, provider: Provider, request: FastifyRequest, reply: FastifyReply) {
  const { to, again } = request.query as Readonly<Record<string, unknown>>
  const wanted = typeof to === 'string' && to.length <= MAX_RETURN_CHARACTERS ? to : ''
  try {
    const maxAge = again === undefined ? null : CONFIRMATION_MS / 1000
    const { url, pending } = await beginSignIn(provider, runtime.publicUrl + CALLBACK, maxAge)
    const kept: Kept = { ...pending, to: wanted }
    const value = Buffer.from(JSON.stringify(kept)).toString('base64url')
    const others = cookieNames(request, runtime.publicUrl, COOKIE)
    for (const name of others.slice(0, 1 - MAX_PENDING)) clearCookie(runtime, reply, name)
    writeCookie(reply, runtime.publicUrl, {
      name: cookieOf(pending.state),
      value,
      expires: new Date(Date.now() + PENDING_MS),
    })
    return url
  } catch (error) {
    return signInPage(runtime, { refused: explain(runtime, error), to: wanted })
  }
}

async function finish(runtime: Runtime, exchange: Exchange, request: FastifyRequest, reply: FastifyReply) {
  const { search, searchParams } = new URL(request.url, runtime.publicUrl)
  const kept = keptIn(request, runtime.publicUrl, searchParams.get('state') ?? '')
  if (kept === null) return signInPage(runtime, { refused: 'failed' })
  clearCookie(runtime, reply, cookieOf(kept.state))
  try {
    const identity = await exchange(request.ip, new URL(runtime.publicUrl + CALLBACK + search), kept)
    const opened = await signInFederated(runtime.as({ kind: 'anonymous' }), identity)
    if (typeof opened === 'string') return signInPage(runtime, { refused: opened })
    sessionCookie(reply, runtime.publicUrl).set(opened.token, opened.keptUntil)
    return signInPage(runtime, { to: kept.to })
  } catch (error) {
    return signInPage(runtime, { refused: explain(runtime, error), to: kept.to })
  }
}

/** The console judges the wanted address: nothing but its own pages is opened. */
function signInPage({ publicUrl }: Runtime, { refused = '', to = '' }: { refused?: string; to?: string }): string {
  const query = new URLSearchParams({ ...(refused !== '' && { refused }), ...(to !== '' && { to }) })
  return `${publicUrl}/console/sign-in${query.size > 0 ? `?${query}` : ''}`
}

function explain({ log }: Runtime, error: unknown): string {
  if (!(error instanceof SignInFailure)) throw error
  log.warn({ err: error.message }, 'a sign-in through the OpenID Connect provider failed')
  return error.reason
}

const cookieOf = (state: string): string => COOKIE + state.slice(0, 8)

const clearCookie = ({ publicUrl }: Runtime, reply: FastifyReply, name: string): void =>
  writeCookie(reply, publicUrl, { name, value: '', expires: new Date(0) })

/** null: this browser did not begin the sign-in of the answer. */
function keptIn(request: FastifyRequest, publicUrl: string, state: string): Kept | null {
  const value = readCookie(request, publicUrl, cookieOf(state))
  if (!value) return null
  try {
    const kept = JSON.parse(Buffer.from(value, 'base64url').toString()) as Kept
    const isWhole = [kept.state, kept.nonce, kept.verifier, kept.to].every((text) => typeof text === 'string')
    return isWhole && kept.state === state ? kept : null
  } catch {
    return null
  }
}
