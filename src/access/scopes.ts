/** The scope that every voice endpoint asks for. */
export const VOICE_SCOPE = 'generate:voice'

/** The scope that every workflow asks for; not granted by default. */
export const GENERATION_SCOPE = 'generate:workflow'

/** What an operator's key holds, and the sessions of users that the command line has marked. No account has it by itself. */
export const OPERATOR_SCOPE = 'operator'

/** The account's own voices and its lexicon; not granted by default. */
export const LIBRARY_SCOPE = 'voice:library'

/** Reading jobs: list, single read, export. */
export const JOB_READ_SCOPE = 'job:read'
/**
 * What an owner does: the account's keys, webhooks and their secrets, users and ledger. Not granted by default: its holder decides
 * where results go.
 */
export const ACCOUNT_ADMIN_SCOPE = 'account:admin'
/** What a key may do when nothing else is said. */
export const DEFAULT_SCOPES: readonly string[] = [VOICE_SCOPE, JOB_READ_SCOPE]
/** `noun:verb`, as in `generate:voice`; operators may invent more to restrict endpoints. */
export const SCOPE_FORM = /^[a-z][a-z0-9_-]{0,31}(:[a-z0-9_-]{1,32})?$/

/** Scopes of the companion; none is granted by default. */
export const CHAT_SCOPE = 'companion:chat'
export const RETARGET_SCOPE = 'companion:retarget'
export const MEDIA_TAG_SCOPE = 'companion:media_tag'

export const USER_ROLES = ['owner', 'member'] as const
export type UserRole = (typeof USER_ROLES)[number]

const MEMBER_SCOPES: readonly string[] = [
  VOICE_SCOPE,
  JOB_READ_SCOPE,
  GENERATION_SCOPE,
  CHAT_SCOPE,
  RETARGET_SCOPE,
  MEDIA_TAG_SCOPE,
  LIBRARY_SCOPE,
]

/** What each scope lets a caller do, in a sentence. */
export const SCOPE_MEANINGS: Readonly<Record<string, string>> = {
  [VOICE_SCOPE]: 'Turn texts into speech at voice endpoints, and read those jobs.',
  [JOB_READ_SCOPE]: 'Read, list and export the jobs of the account, and its balance.',
  [GENERATION_SCOPE]: 'Run workflows.',
  [CHAT_SCOPE]: 'Chat with the companion.',
  [RETARGET_SCOPE]: 'Give the companion another persona.',
  [MEDIA_TAG_SCOPE]: 'Have the companion tag media.',
  [LIBRARY_SCOPE]: "Manage the account's own voices and its lexicon.",
  [ACCOUNT_ADMIN_SCOPE]: 'Manage the account as an owner does: keys, webhooks and their secrets, users, ledger.',
  [OPERATOR_SCOPE]: 'Operate this service: accounts, endpoints, users and the jobs of all accounts.',
}

/** What a user of this role may do, in the words of keys. */
export const scopesOf = (role: UserRole): readonly string[] =>
  role === 'owner' ? [...MEMBER_SCOPES, ACCOUNT_ADMIN_SCOPE] : MEMBER_SCOPES

/** What a signed-in user may do. A session submits to no restricted endpoint. */
export const scopesOfUser = (user: { readonly role: UserRole; readonly operator: boolean }): readonly string[] =>
  user.operator ? [...scopesOf(user.role), OPERATOR_SCOPE] : scopesOf(user.role)
