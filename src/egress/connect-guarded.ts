import { isIP, type LookupFunction } from 'node:net'
import {
  checkServerIdentity,
  connect,
  createSecureContext,
  type PeerCertificate,
  type SecureContext,
  type TLSSocket,
} from 'node:tls'
import type { buildConnector } from 'undici'
import { isPortAllowed } from './check-webhook-url.ts'
import { type Cidr, LOOPBACK, type LocalReceivers, parseCidr } from './ip-ranges.ts'
import { EgressFailure, isReachable, judgeHost } from './judge-host.ts'
import type { Resolver } from './resolver.ts'

const HTTPS_PORT = 443
const CONNECT_TIMEOUT_MS = 10_000
/** Node's default of 250 ms gives up on distant receivers. */
const NEXT_ADDRESS_MS = 2000

export interface Guard {
  readonly resolver: Resolver
  readonly egressAllow: readonly Cidr[]
  /** Absent: none. */
  readonly receivers?: LocalReceivers
}

/**
 * Opens TLS connections only to checked ports and addresses, including the address that the socket reached.
 * The certificate must be valid for the host.
 */
export function guardedConnector(guard: Guard): buildConnector.connector {
  // Connections share one context, because each would load all trusted certificates.
  let secureContext: SecureContext | undefined
  return (options, callback) => {
    secureContext ??= createSecureContext()
    open({ ...guard, secureContext }, options).then(
      (socket) => callback(null, socket),
      (error: Error) => callback(error, null),
    )
  }
}

interface Trust extends Guard {
  readonly secureContext: SecureContext
}

async function open(guard: Trust, { hostname, port }: buildConnector.Options): Promise<TLSSocket> {
  const number = port === '' ? HTTPS_PORT : Number(port)
  if (!isPortAllowed(number)) throw new EgressFailure('port_refused', `webhooks do not go to port ${number}`)
  const certificate = guard.receivers?.find(hostname, number) ?? null
  if (certificate !== null) return handshake(pinned(guard, certificate), hostname, number, [LOOPBACK])
  const { addresses } = await judgeHost(hostname, guard.resolver, guard.egressAllow)
  return handshake(guard, hostname, number, addresses)
}

const pinned = (guard: Trust, certificate: string): Trust => ({
  ...guard,
  egressAllow: [parseCidr(`${LOOPBACK}/32`)],
  secureContext: createSecureContext({ ca: certificate }),
})

function handshake(guard: Trust, hostname: string, port: number, addresses: readonly string[]): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    let reached = false
    const socket = connect({ ...tlsOptions(hostname, port, addresses), secureContext: guard.secureContext })
    const fail = (failure: EgressFailure) => {
      clearTimeout(timer)
      reject(failure)
      if (!secure) socket.destroy()
    }
    let secure = false
    const timer = setTimeout(() => fail(new EgressFailure('timeout', 'no connection in time')), CONNECT_TIMEOUT_MS)
    const broken = (cause: string) => fail(new EgressFailure(reached ? 'tls_failed' : 'connect_failed', cause))
    socket.once('connect', () => {
      reached = true
      // A receiver that hung up has no address; the socket's end reports it.
      const address = socket.remoteAddress
      if (address !== undefined && !isReachable(address, guard.egressAllow)) {
        fail(new EgressFailure('address_refused', 'the connection reached a private or reserved address'))
      }
    })
    socket.on('error', (error) => broken(error.message))
    socket.once('close', () => broken('the receiver hung up'))
    socket.once('secureConnect', () => {
      secure = true
      clearTimeout(timer)
      resolve(socket.setNoDelay(true))
    })
  })
}

function tlsOptions(hostname: string, port: number, addresses: readonly string[]) {
  const host = hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')
  return {
    host: addresses.length === 1 ? addresses[0]! : host,
    port,
    servername: isIP(host) === 0 ? host : '',
    rejectUnauthorized: true,
    checkServerIdentity: (_name: string, certificate: PeerCertificate) => checkServerIdentity(host, certificate),
    ALPNProtocols: ['http/1.1'],
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MS,
    lookup: answering(addresses),
  }
}

const answering =
  (addresses: readonly string[]): LookupFunction =>
  (_host, options, callback) => {
    const judged = addresses.map((address) => ({ address, family: isIP(address) }))
    if (options.all === true) callback(null, judged)
    else callback(null, judged[0]!.address, judged[0]!.family)
  }
