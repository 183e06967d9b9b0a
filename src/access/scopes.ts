export const VOICE_SCOPE = 'generate:voice'

export const GENERATION_SCOPE = 'generate:workflow'

/** No account has this scope by default: only operator keys and marked users hold it. */
export const OPERATOR_SCOPE = 'operator'

export const LIBRARY_SCOPE = 'voice:library'

export const JOB_READ_SCOPE = 'job:read'
/** Not granted by default, because its holder decides where results go. */
export const ACCOUNT_ADMIN_SCOPE = 'account:admin'
/** Not granted by default: the ledger is for owners and those they name. */
export const LEDGER_SCOPE = 'ledger:read'
export const DEFAULT_SCOPES: readonly string[] = [VOICE_SCOPE, JOB_READ_SCOPE]
export const SCOPE_FORM = /^[a-z][a-z0-9_-]{0,31}(:[a-z0-9_-]{1,32})?$/

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

export const SCOPE_MEANINGS: Readonly<Record<string, string>> = {
  [VOICE_SCOPE]: 'Turn texts into speech at voice endpoints, and read those jobs.',
  [JOB_READ_SCOPE]: 'Read, list and export the jobs of the account, and its balance.',
  [LEDGER_SCOPE]: 'Read the ledger of the account: every charge, refund and grant.',
  [GENERATION_SCOPE]: 'Run workflows.',
  [CHAT_SCOPE]: 'Chat with the companion.',
  [RETARGET_SCOPE]: 'Give the companion another persona.',
  [MEDIA_TAG_SCOPE]: 'Have the companion tag media.',
  [LIBRARY_SCOPE]: "Manage the account's own voices and its lexicon.",
  [ACCOUNT_ADMIN_SCOPE]: 'Manage the account as an owner does: keys, webhooks and their secrets, users, ledger.',
  [OPERATOR_SCOPE]: 'Operate this service: accounts, endpoints, users and the jobs of all accounts.',
}

export const scopesOf = (role: UserRole): readonly string[] =>
  role === 'owner' ? [...MEMBER_SCOPES, LEDGER_SCOPE, ACCOUNT_ADMIN_SCOPE] : MEMBER_SCOPES

/** A session has no scope for restricted endpoints. */
export const scopesOfUser = (user: { readonly role: UserRole; readonly operator: boolean }): readonly string[] =>
  user.operator ? [...scopesOf(user.role), OPERATOR_SCOPE] : scopesOf(user.role)
