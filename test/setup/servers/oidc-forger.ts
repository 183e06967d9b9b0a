import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { closeServer } from './oidc-provider.ts'

const KEYS = generateKeyPairSync('rsa', { modulusLength: 2048 })
export const OTHER_KEYS = generateKeyPairSync('rsa', { modulusLength: 2048 })

export interface Forgery {
  readonly header?: object
  readonly claims?: object
  readonly key?: KeyObject | null
  readonly userinfo?: object
  /** Parameters of the answer to the browser. */
  readonly answer?: Readonly<Record<string, string>>
}

export interface Forger {
  readonly issuer: string
  /** Makes the next sign-in get a forged answer. */
  forge(forgery: Forgery): void
  /** Bodies of requests for tokens. */
  readonly exchanges: readonly URLSearchParams[]
  /** Requests for its configuration. */
  readonly discoveries: () => number
  close(): Promise<void>
}

const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url')

function tokenOf(header: object, claims: object, key: KeyObject | null): string {
  const signed = `${encode(header)}.${encode(claims)}`
  return `${signed}.${key === null ? '' : sign('RSA-SHA256', Buffer.from(signed), key).toString('base64url')}`
}

/** A provider that issues whatever token a test asks for. It takes a code once, and only with the verifier of its challenge. */
export async function startForger(person: object): Promise<Forger> {
  let forgery: Forgery = {}
  const asked = new Map<string, URLSearchParams>()
  const exchanges: URLSearchParams[] = []
  let discoveries = 0
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', issuer)
    const json = (body: object, status = 200) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    if (url.pathname === '/.well-known/openid-configuration') {
      discoveries++
      return json(configuration(issuer))
    }
    if (url.pathname === '/jwks')
      return json({ keys: [{ ...KEYS.publicKey.export({ format: 'jwk' }), kid: 'one', use: 'sig', alg: 'RS256' }] })
    if (url.pathname === '/authorize') {
      const code = `code-${asked.size}-${Math.random()}`
      asked.set(code, url.searchParams)
      const state = url.searchParams.get('state') ?? ''
      const back = new URLSearchParams({ code, state, iss: issuer, ...forgery.answer })
      return response.writeHead(302, { location: `${url.searchParams.get('redirect_uri')}?${back}` }).end()
    }
    if (url.pathname === '/userinfo') return json(forgery.userinfo ?? {})
    const form = new URLSearchParams(Buffer.concat(await request.toArray()).toString())
    exchanges.push(form)
    const began = asked.get(form.get('code') ?? '')
    asked.delete(form.get('code') ?? '')
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    if (began?.get('code_challenge') !== challenge) return json({ error: 'invalid_grant' }, 400)
    const now = Math.floor(Date.now() / 1000)
    const claims = {
      ...{ iss: issuer, aud: 'sonant', sub: 'forged', iat: now, exp: now + 300, nonce: began.get('nonce') },
      ...{ email_verified: true, ...person, ...forgery.claims },
    }
    const { header = { alg: 'RS256', kid: 'one' }, key = KEYS.privateKey } = forgery
    return json({ access_token: 'token', token_type: 'Bearer', id_token: tokenOf(header, claims, key) })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  return {
    issuer,
    forge: (next) => {
      forgery = next
    },
    exchanges,
    discoveries: () => discoveries,
    close: () => closeServer(server),
  }
}

const configuration = (issuer: string) => ({
  issuer,
  authorization_endpoint: `${issuer}authorize`,
  token_endpoint: `${issuer}token`,
  jwks_uri: `${issuer}jwks`,
  userinfo_endpoint: `${issuer}userinfo`,
  response_types_supported: ['code'],
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: ['RS256'],
  authorization_response_iss_parameter_supported: true,
})
