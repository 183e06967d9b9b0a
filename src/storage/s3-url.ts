export interface S3Bucket {
  readonly url: string
  readonly publicUrl: string
  readonly region: string
}

const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/
const REGION = /^[a-z0-9-]{1,32}$/
const KNOWN: ReadonlySet<string> = new Set(['endpoint', 'region', 'public_endpoint'])

/**
 * Reads `s3://bucket?endpoint=…&region=…`; without an endpoint it is Amazon's.
 * `public_endpoint` starts signed URLs. @throws Error with the violation
 */
export function parseS3Url(text: string): S3Bucket {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url?.protocol !== 's3:') throw new Error('must be a URL that starts with s3://')
  if (url.pathname !== '' && url.pathname !== '/')
    throw new Error('must name a bucket and nothing below it, as in s3://bucket?region=eu-central-1')
  if (!BUCKET.test(url.hostname))
    throw new Error('must name a bucket of 3 to 63 lower-case letters, digits, dots and hyphens')
  if (url.hash !== '') throw new Error('must not hold a fragment')
  const unknown = [...url.searchParams.keys()].find((name) => !KNOWN.has(name))
  if (unknown !== undefined) throw new Error(`takes endpoint, public_endpoint and region, not ${unknown}`)
  const region = url.searchParams.get('region') ?? 'us-east-1'
  if (!REGION.test(region)) throw new Error('must name a region as in region=eu-central-1')
  const endpoint = endpointOf(url, 'endpoint')
  const amazon = `https://${url.hostname}.s3.${region}.amazonaws.com`
  const place = endpoint === null ? amazon : `${endpoint}/${url.hostname}`
  const publicEndpoint = endpointOf(url, 'public_endpoint')
  return { url: place, publicUrl: publicEndpoint === null ? place : `${publicEndpoint}/${url.hostname}`, region }
}

function endpointOf(url: URL, name: string): string | null {
  const text = url.searchParams.get(name)
  if (text === null) return null
  if (!URL.canParse(text) || !['http:', 'https:'].includes(new URL(text).protocol))
    throw new Error(`must give ${name} as a URL that starts with http:// or https://`)
  const { username, password } = new URL(text)
  if (username !== '' || password !== '' || /[?#]/.test(text))
    throw new Error(`must give ${name} without credentials, a query or a fragment`)
  return text.replace(/\/+$/, '')
}
