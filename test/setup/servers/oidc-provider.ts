import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Provider } from 'oidc-provider'
import { call, type Reply } from '../http.ts'

export const CLIENT = { OIDC_CLIENT_ID: 'sonant', OIDC_CLIENT_SECRET: 'a secret of the client' }

/** The claims of a person at the provider. */
export interface ProviderPerson {
  readonly email: string
  readonly email_verified?: boolean
  readonly groups?: readonly string[]
}

export interface TestProvider {
  readonly issuer: string
  /** By login; who is missing does not exist. */
  readonly people: Map<string, ProviderPerson>
  /** Registers the service's redirect URI. Call it once, before a sign-in. */
  serve(...serviceUrls: readonly string[]): void
  close(): Promise<void>
}

/** A real OpenID Connect provider, whose people have any password. It listens at once and answers after `serve`. */
export async function startProvider(): Promise<TestProvider> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const people = new Map<string, ProviderPerson>()
  return {
    issuer,
    people,
    serve: (...urls) => server.on('request', openProvider(issuer, people, urls).callback()),
    close: () => closeServer(server),
  }
}

export const closeServer = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })

function openProvider(issuer: string, people: ReadonlyMap<string, ProviderPerson>, urls: readonly string[]): Provider {
  return new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT.OIDC_CLIENT_ID,
        client_secret: CLIENT.OIDC_CLIENT_SECRET,
        redirect_uris: urls.map((url) => `${url}/console/oidc/callback`),
      },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], groups: ['groups'] },
    scopes: ['openid', 'email', 'groups'],
    pkce: { required: () => true },
    cookies: { keys: ['of the test'] },
    ttl: { AccessToken: 600, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
    findAccount: (_ctx, id) => {
      const person = people.get(id)
      return person && { accountId: id, claims: async () => ({ sub: id, email_verified: true, ...person }) }
    },
    // Nobody is asked for a consent.
    loadExistingGrant: async (ctx) => {
      const grant = new ctx.oidc.provider.Grant({
        clientId: ctx.oidc.client!.clientId,
        accountId: ctx.oidc.session!.accountId!,
      })
      grant.addOIDCScope('openid email groups')
      await grant.save()
      return grant
    },
  })
}

/** Keeps cookies and follows redirects, as a browser does, between the service and the provider. */
export class SignInBrowser {
  readonly #jars = new Map<string, Map<string, string>>()
  readonly visited: string[] = []

  cookies(url: string): string {
    const jar = this.#jars.get(new URL(url).host) ?? new Map<string, string>()
    return [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
  }

  async open(url: string, form?: Readonly<Record<string, string>>): Promise<Reply> {
    this.visited.push(url)
    const reply = await call(url, {
      headers: { accept: 'text/html', cookie: this.cookies(url) },
      ...(form && {
        method: 'POST',
        type: 'application/x-www-form-urlencoded',
        body: String(new URLSearchParams(form)),
      }),
    })
    this.#keep(url, reply)
    return reply
  }

  /** Follows until a page is reached. @returns its address */
  async follow(url: string, form?: Readonly<Record<string, string>>): Promise<string> {
    const reply = await this.open(url, form)
    const { location } = reply.headers
    return location === undefined ? url : this.follow(new URL(location, url).href)
  }

  /**
   * Signs in at the provider.
   * @returns the service's page that the person lands on
   */
  async signIn(serviceUrl: string, login: string, query = ''): Promise<string> {
    const page = await this.follow(`${serviceUrl}/console/oidc${query}`)
    if (!page.includes('/interaction/')) return page
    return this.follow(page, { prompt: 'login', login, password: 'any' })
  }

  #keep(url: string, { headers }: Reply): void {
    const { host } = new URL(url)
    const jar = this.#jars.get(host) ?? new Map<string, string>()
    this.#jars.set(host, jar)
    // An Expires date has a comma as well.
    for (const cookie of (headers['set-cookie'] ?? '').split(/,(?=\s*[\w.-]+=)/)) {
      const [, name = '', value = ''] = /^\s*([^=;]+)=([^;]*)/.exec(cookie) ?? []
      if (value === '') jar.delete(name)
      else jar.set(name, value)
    }
  }
}
