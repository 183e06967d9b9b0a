const AUTHORITY = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s
/** What libpq may be asked for; every one of these finds the server that takes writes. */
const SESSION_ATTRIBUTES: ReadonlySet<string> = new Set(['any', 'read-write', 'primary'])

/**
 * The URLs of the servers that a URL names between commas, as libpq writes them: `postgresql://user@one:5432,two:5432/name`.
 * @throws RangeError in a few words, where it is not one
 */
export function serverUrls(text: string): string[] {
  const [, start = '', hosts = '', rest = ''] = AUTHORITY.exec(text) ?? []
  const urls = hosts.split(',').map((host) => start + host + rest)
  if (start === '' || !urls.every((url) => URL.canParse(url)) || (urls.length > 1 && hosts.split(',').includes('')))
    throw new RangeError('must be a URL that starts with postgres:// or postgresql://')
  return urls.map(withoutAttributes)
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
