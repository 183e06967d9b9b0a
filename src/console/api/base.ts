/** In the built page scripts lie in `<prefix>/console/assets/`: the address of this one tells what a proxy puts in front. */
const HERE = new URL(import.meta.url).pathname
const ASSETS = HERE.lastIndexOf('/console/assets/')

/** The path that a proxy puts in front of the service; empty without one. */
export const PREFIX = ASSETS === -1 ? '' : HERE.slice(0, ASSETS)

/** Where the console lies: the scope of its routes. */
export const BASE = `${PREFIX}/console`

/** The address of a screen: `at('/jobs')`. */
export const at = (path: string): string => (path === '/' ? BASE : `${BASE}${path}`)

/** Where GraphQL is asked. */
export const GRAPHQL = `${PREFIX}/graphql`

/** The service's own address, for requests that programs are going to send. */
export const serviceUrl = (): string => `${location.origin}${PREFIX}`

/** The service signs these parameters. URLs of a bucket have others. */
const SIGNED = /^\?type=[^&]+&expires=\d+(&cell=[0-9a-z])?&signature=[\w-]+$/

/**
 * A signed URL of this service at the origin of the page, which a browser reaches and may read without CORS, whatever name PUBLIC_URL says. The
 * signature is over the path. URLs of a bucket stay.
 */
export function ownMedia(url: string): string {
  const { pathname, search } = new URL(url, location.href)
  const isOwn = pathname.startsWith(`${PREFIX}/media/`) && SIGNED.test(search)
  return isOwn ? `${location.origin}${pathname}${search}` : url
}
