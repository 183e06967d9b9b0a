/** What a scope lets a key do, in the order in which they are offered; the service decides which a user may grant. */
export const SCOPES: Readonly<Record<string, string>> = {
  'generate:voice': 'Call voice endpoints',
  'job:read': 'Read, list and export jobs',
  'generate:workflow': 'Run workflows',
  'companion:chat': 'Chat with the companion',
  'companion:retarget': "Change a companion's persona",
  'companion:media_tag': 'Tag media',
  'voice:library': "Manage the account's own voices",
  'account:admin': 'Manage keys, webhooks and users, as an owner does',
}

export const DEFAULT_SCOPES: readonly string[] = ['generate:voice', 'job:read']
