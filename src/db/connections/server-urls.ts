const AUTHORITY = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s
/** What libpq may be asked for; every one of these finds the server that takes writes. */
const SESSION_ATTRIBUTES: ReadonlySet<string> = new Set(['any', 'read-write', 'primary'])

/**
 * The URLs of the servers that a URL names between commas, as libpq writes them: `postgresql://user@one:5432,two:5432/name`.
 * @throws RangeError in a few words, where it is not one
 */
export function serverUrls(text: string): string[] {
  const bare = bareSign(text)
  if (bare !== null) {
    const encoded = bare === '%' ? '%25' : encodeURIComponent(bare)
    throw new RangeError(`must have each ${bare} of its user name and password percent-encoded, as ${encoded}`)
  }
  const [, start = '', hosts = '', rest = ''] = AUTHORITY.exec(text) ?? []
  // libpq takes no host after a user name where `host` names a socket's directory; a URL does not.
  const named = hosts === '' && start.endsWith('@') ? ['localhost'] : hosts.split(',')
  const urls = named.map((host) => start + host + rest)
  if (start === '' || !urls.every((url) => URL.canParse(url)) || (urls.length > 1 && hosts.split(',').includes('')))
    throw new RangeError('must be a URL that starts with postgres:// or postgresql://')
  return urls.map(withoutAttributes)
}

/** The sign in a user name or password that ends it too early, or stands for another one; null: there is none. */
function bareSign(text: string): string | null {
  const [, authority = '', rest = ''] = /^postgres(?:ql)?:\/\/([^/?#]*)(.*)$/s.exec(text) ?? []
  const at = authority.lastIndexOf('@')
  const credentials = at === -1 ? '' : authority.slice(0, at)
  if (credentials.includes('@')) return '@'
  if (/%(?![0-9a-f]{2})/i.test(credentials)) return '%'
  // In these URLs a fragment can only be part of a password.
  if (rest.includes('#')) return '#'
  if (at !== -1 || !rest.includes('@')) return null
  const [path = ''] = rest.split('?')
  const isPassword = /:(?!\d*$)/.test(authority) && !authority.startsWith('[') && !authority.includes(',')
  const sign = rest[0] ?? ''
  if (isPassword) return sign
  if (sign === '/' && authority.includes(':') && path.includes('@')) return sign
  return sign === '?' && /^\?[^=&]*@/.test(rest) ? sign : null
}

function withoutAttributes(text: string): string {
  const url = new URL(text)
  const attributes = url.searchParams.get('target_session_attrs')
  if (attributes === null) return text
  if (!SESSION_ATTRIBUTES.has(attributes))
    throw new RangeError(`must have one of ${[...SESSION_ATTRIBUTES].join(', ')} as its target_session_attrs`)
  url.searchParams.delete('target_session_attrs')
  return url.href
}
