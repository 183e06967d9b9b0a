const AUTHORITY = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s
const SESSION_ATTRIBUTES: ReadonlySet<string> = new Set(['any', 'read-write', 'primary'])

/**
 * Splits a URL with several hosts, as libpq writes them, into one URL for each.
 * @throws RangeError if it is invalid
 */
export function serverUrls(text: string): string[] {
  const bare = bareSign(text)
  if (bare !== null) {
    const encoded = bare === '%' ? '%25' : encodeURIComponent(bare)
    throw new RangeError(`must have each ${bare} of its user name and password percent-encoded, as ${encoded}`)
  }
  const [, start = '', hosts = '', rest = ''] = AUTHORITY.exec(text) ?? []
  // libpq allows no host after a user name if `host` names a socket directory; URL does not.
  const named = hosts === '' && start.endsWith('@') ? ['localhost'] : hosts.split(',')
  const urls = named.map((host) => start + host + rest)
  if (start === '' || !urls.every((url) => URL.canParse(url)) || (urls.length > 1 && hosts.split(',').includes('')))
    throw new RangeError('must be a URL that starts with postgres:// or postgresql://')
  return urls.map(withoutAttributes)
}

/** Finds an unencoded character in the credentials that breaks the URL; null: none. */
function bareSign(text: string): string | null {
  const [, authority = '', rest = ''] = /^postgres(?:ql)?:\/\/([^/?#]*)(.*)$/s.exec(text) ?? []
  const at = authority.lastIndexOf('@')
  const credentials = at === -1 ? '' : authority.slice(0, at)
  if (credentials.includes('@')) return '@'
  if (/%(?![0-9a-f]{2})/i.test(credentials)) return '%'
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
