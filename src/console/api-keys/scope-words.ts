const WORDS: Readonly<Record<string, string>> = {
  'generate:voice': 'speak',
  'job:read': 'read jobs',
  'generate:workflow': 'run workflows',
  'companion:chat': 'chat',
  'companion:retarget': 'retarget the companion',
  'companion:media_tag': 'tag media',
  'voice:library': 'voices and lexicon',
  'ledger:read': 'read the ledger',
  'account:admin': 'manage the account',
  operator: 'operate the service',
}
const SHOWN = 2

export const scopeInWords = (scope: string): string => WORDS[scope] ?? scope

/** Scopes in one line: "speak, read jobs and 2 more". Scopes that operators invented are shown as they are. */
export function scopesInWords(scopes: readonly string[]): string {
  const words = scopes.map(scopeInWords)
  if (words.length <= SHOWN) return words.join(', ')
  return `${words.slice(0, SHOWN).join(', ')} and ${words.length - SHOWN} more`
}
