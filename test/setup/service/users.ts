import { argon2Sync } from 'node:crypto'
import type { UserRole } from '../../../src/access/scopes.ts'
import { createUser } from '../../../src/users/create-user.ts'
import { createSignInLink } from '../../../src/users/sign-in-link.ts'
import { call } from '../http.ts'
import { type GraphqlAnswer, mutation } from './graphql.ts'
import type { TestRuntime } from './runtime.ts'

export const PASSWORD = 'correct horse battery'
const SALT = Buffer.alloc(8)
const LEAST = { memory: 8, passes: 1, parallelism: 1, tagLength: 32 }
const base64 = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '')
/** Hash of PASSWORD with the least memory and time that argon2id takes, as the service's own take most of a sign-in. */
const HASH = `$argon2id$v=19$m=8,t=1,p=1$${base64(SALT)}$${base64(argon2Sync('argon2id', { message: PASSWORD, nonce: SALT, ...LEAST }))}`
const SIGN_IN = mutation(
  'signIn(email: $email, password: $password)',
  '... on User { id }',
  '($email: String!, $password: String!)',
)
const REDEEM = mutation('redeemSignInLink(token: $token)', '... on User { id }', '($token: String!)')

/** A browser's answer, with the cookie that it keeps from now on. */
interface BrowserAnswer extends GraphqlAnswer<Record<string, unknown>> {
  readonly cookie: string | undefined
}

/** A user, signed in. */
export interface SignedInUser {
  readonly id: string
  readonly email: string
  readonly account: string
  readonly cookie: string
}

/** The users of a test, and the browsers that they sit at. */
export interface Users {
  /** Asks as a page of the service does. */
  ask(query: string, variables?: object, cookie?: string): Promise<BrowserAnswer>
  signIn(email: string, password?: string): Promise<BrowserAnswer>
  redeem(token: string): Promise<BrowserAnswer>
  /** A user with a password, signed in; of an account of their own unless given. */
  user(role?: UserRole, account?: string): Promise<SignedInUser>
  /** A user without a password. */
  newcomer(role?: UserRole, account?: string): Promise<Omit<SignedInUser, 'cookie'>>
  /** The token of a link that the command line makes. */
  tokenFor(user: string): Promise<string>
}

let made = 0

export function usersOf(service: TestRuntime): Users {
  const system = service.runtime.as({ kind: 'system' })
  const ask = async (query: string, variables: object = {}, cookie?: string): Promise<BrowserAnswer> => {
    const headers = { origin: service.url, ...(cookie !== undefined && { cookie }) }
    const reply = await call(`${service.url}/graphql`, { method: 'POST', headers, body: { query, variables } })
    const answer = reply.json<GraphqlAnswer<Record<string, unknown>>>()
    return { ...answer, cookie: reply.headers['set-cookie']?.split(';')[0] }
  }
  const signIn = (email: string, password = PASSWORD) => ask(SIGN_IN, { email, password })
  const create = async (role: UserRole, account: string | undefined) => {
    const of = account ?? (await service.createAccount())
    const email = `user.${++made}@example.org`
    const { id } = await createUser(system, { account: of, email, role })
    return { id, email, account: of }
  }
  return {
    ask,
    signIn,
    redeem: (token) => ask(REDEEM, { token }),
    user: async (role = 'owner', account) => {
      const one = await create(role, account)
      await service.runtime.db.prisma.user.update({ where: { id: one.id }, data: { passwordHash: HASH } })
      return { ...one, cookie: (await signIn(one.email)).cookie! }
    },
    newcomer: (role = 'owner', account) => create(role, account),
    tokenFor: async (user) => tokenOf((await createSignInLink(system, { user })).url),
  }
}

/** The part of a link after `#`. */
export const tokenOf = (url: string): string => url.slice(url.indexOf('#') + 1)
