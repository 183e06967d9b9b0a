/** An entry never holds a secret, a text or a whole URL. */
export const AUDITED_ACTIONS = {
  account_created: 'An account was made.',
  account_updated: 'An account got other limits; `detail` says which it has.',
  account_renamed: 'An account got another name, which is `detail`.',
  account_disabled: 'The keys and users of an account were refused from then on.',
  account_enabled: 'The keys and users of an account may use the service again.',
  credits_granted: 'Credits were given or taken; `detail` says how many.',
  key_created: 'An API key was made; `detail` lists its scopes and says its limits.',
  key_updated: 'An API key was renamed or got other scopes or limits; `detail` says which it has.',
  key_deleted: 'An API key was revoked.',
  user_added: 'A user was added; `detail` is the role.',
  user_role_changed: 'A user got another role, which is `detail`.',
  user_disabled: 'A user was kept from signing in.',
  user_enabled: 'A user may sign in again.',
  operator_marked: 'A user was made an operator.',
  operator_unmarked: 'A user is no operator any more.',
  password_set: 'The operator gave a user another password.',
  password_reset: "A user's password was taken away, and a link made by which they choose another.",
  sign_in_link_created: 'A link that signs a user in was made.',
  webhook_url_set: 'The URL of webhooks was set or cleared; `detail` is its origin.',
  webhook_secret_rotated: 'The signing secret of webhooks was rotated.',
  webhook_secret_expired: 'The previous signing secret was stopped.',
  endpoint_applied: 'A voice endpoint or workflow was made or replaced.',
  endpoint_deleted: 'A voice endpoint or workflow was deleted.',
  job_deleted: 'A job was deleted with its audio.',
} as const satisfies Readonly<Record<string, string>>

export type AuditedAction = keyof typeof AUDITED_ACTIONS
