const V4_MAPPED = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff]
const V4_MAPPED_BITS = 96
const NAT64 = [0x00, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0]

const V4_ROWS: readonly Row[] = [
  [[0], 8, 'unspecified'],
  [[10], 8, 'private'],
  [[100, 64], 10, 'cgnat'],
  [[127], 8, 'loopback'],
  [[168, 63, 129, 16], 32, 'metadata'],
  [[169, 254], 16, 'link-local'],
  [[172, 16], 12, 'private'],
  [[192, 0, 0], 24, 'reserved'],
  [[192, 0, 2], 24, 'documentation'],
  [[192, 88, 99], 24, '6to4'],
  [[192, 168], 16, 'private'],
  [[198, 18], 15, 'benchmark'],
  [[198, 51, 100], 24, 'documentation'],
  [[203, 0, 113], 24, 'documentation'],
  [[224], 4, 'multicast'],
  [[240], 4, 'reserved'],
]

/** The first row that matches decides. */
const V6_ROWS: readonly Row[] = [
  [[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], 128, 'unspecified'],
  [[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], 128, 'loopback'],
  [[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], 96, 'ipv4-compatible'],
  [[0x00, 0x64, 0xff, 0x9b, 0x00, 0x01], 48, 'nat64'],
  [[0x01, 0x00, 0, 0, 0, 0, 0, 0], 64, 'discard'],
  [[0x20, 0x01, 0x00, 0x00], 32, 'teredo'],
  [[0x20, 0x01, 0x00, 0x02, 0x00, 0x00], 48, 'benchmark'],
  [[0x20, 0x01, 0x00, 0x10], 28, 'orchid'],
  [[0x20, 0x01, 0x00, 0x20], 28, 'orchid'],
  [[0x20, 0x01, 0x00], 23, 'reserved'],
  [[0x20, 0x01, 0x0d, 0xb8], 32, 'documentation'],
  [[0x20, 0x02], 16, '6to4'],
  [[0x3f, 0xff, 0x00], 20, 'documentation'],
  [[0x5f, 0x00], 16, 'segment-routing'],
  [[0xfc], 7, 'unique-local'],
  [[0xfe, 0x80], 10, 'link-local'],
  [[0xfe, 0xc0], 10, 'site-local'],
  [[0xff], 8, 'multicast'],
]

const NETWORK_BYTES = 8
const SITE_BYTES = 6
export const LOOPBACK = '127.0.0.1'

/** Classes of the IANA special-purpose registries. Only `public` needs no permission. */
type AddressClass =
  | 'public'
  | 'unspecified'
  | 'loopback'
  | 'private'
  | 'link-local'
  | 'cgnat'
  | 'metadata'
  | 'benchmark'
  | 'documentation'
  | 'multicast'
  | 'reserved'
  | 'unique-local'
  | 'site-local'
  | 'discard'
  | 'segment-routing'
  | 'ipv4-compatible'
  | 'nat64'
  | '6to4'
  | 'teredo'
  | 'orchid'
  | 'isatap'

/** IPv4 blocks are held as v4-mapped IPv6; `bits` counts from the first of 128. */
export interface Cidr {
  readonly prefix: Uint8Array
  readonly bits: number
}

type Row = readonly [prefix: readonly number[], bits: number, name: AddressClass]

export interface LocalReceivers {
  /** Returns the expected certificate, or null if no local receiver is there. */
  find(hostname: string, port: number): string | null
}

/**
 * The 16 bytes of an address, IPv4 as v4-mapped; null if the text is no address.
 * Refuses leading zeros and zone ids.
 */
export function toAddressBytes(ip: string): Uint8Array | null {
  const v4 = v4Bytes(ip)
  return v4 ? Uint8Array.from([...V4_MAPPED, ...v4]) : v6Bytes(ip)
}

/** Judges embedded IPv4 (v4-mapped, NAT64) as IPv4. @throws RangeError on another length */
export function classifyAddress(bytes: Uint8Array): AddressClass {
  if (bytes.length !== 16) throw new RangeError('an address has 16 bytes')
  if (isMapped(bytes)) return lookUp(V4_ROWS, bytes.subarray(12)) ?? 'public'
  if (sharesPrefix(bytes, NAT64, 96)) return lookUp(V4_ROWS, bytes.subarray(12)) ? 'nat64' : 'public'
  const special = lookUp(V6_ROWS, bytes)
  if (special) return special
  // IANA has allocated only 2000::/3 for global unicast.
  if (!sharesPrefix(bytes, [0x20], 3)) return 'reserved'
  return isIsatap(bytes) ? 'isatap' : 'public'
}

export const isAllowed = (bytes: Uint8Array, egressAllow: readonly Cidr[]): boolean =>
  classifyAddress(bytes) === 'public' || isWithin(bytes, egressAllow)

export const isWithin = (bytes: Uint8Array, blocks: readonly Cidr[]): boolean =>
  blocks.some((cidr) => contains(cidr, bytes))

/** Reads `10.0.0.0/8` or `fd00::/8` and ignores bits behind the prefix. @throws RangeError */
export function parseCidr(text: string): Cidr {
  const [, ip = '', length = ''] = /^([^/]+)\/(0|[1-9][0-9]{0,2})$/.exec(text) ?? []
  const bytes = toAddressBytes(ip)
  const bits = Number(length) + (ip.includes(':') ? 0 : V4_MAPPED_BITS)
  if (bytes === null || bits > 128) throw new RangeError(`not a CIDR block: ${text}`)
  return { prefix: bytes.map((byte, index) => byte & byteMask(bits, index)), bits }
}

/** `::/0` covers every IPv6 address and no v4-mapped IPv4 one. */
const contains = (cidr: Cidr, bytes: Uint8Array): boolean =>
  isMapped(cidr.prefix) === isMapped(bytes) && sharesPrefix(bytes, cidr.prefix, cidr.bits)

function v4Bytes(ip: string): number[] | null {
  const parts = ip.split('.')
  const good = parts.length === 4 && parts.every((part) => /^(0|[1-9][0-9]{0,2})$/.test(part) && Number(part) < 256)
  return good ? parts.map(Number) : null
}

function v6Bytes(ip: string): Uint8Array | null {
  const roles = ip.split('::')
  if (roles.length > 2) return null
  const head = groupBytes(roles[0]!, roles.length === 1)
  const tail = roles.length === 1 ? [] : groupBytes(roles[1]!, true)
  if (head === null || tail === null) return null
  const missing = 16 - head.length - tail.length
  if (roles.length === 1 ? missing !== 0 : missing < 2) return null
  return Uint8Array.from([...head, ...new Array<number>(missing).fill(0), ...tail])
}

function groupBytes(text: string, atEnd: boolean): number[] | null {
  if (text === '') return []
  const groups = text.split(':')
  const bytes: number[] = []
  for (const [index, group] of groups.entries()) {
    const v4 = atEnd && index === groups.length - 1 ? v4Bytes(group) : null
    if (v4) bytes.push(...v4)
    else if (/^[0-9a-f]{1,4}$/i.test(group))
      bytes.push(Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 0xff)
    else return null
  }
  return bytes
}

const isMapped = (bytes: Uint8Array): boolean => sharesPrefix(bytes, V4_MAPPED, V4_MAPPED_BITS)

/** An ISATAP identifier holds an IPv4 address to which a tunnel leads (RFC 5214). */
const isIsatap = (bytes: Uint8Array): boolean =>
  (bytes[8]! & 0xfd) === 0 && bytes[9] === 0 && bytes[10] === 0x5e && bytes[11] === 0xfe

const lookUp = (rows: readonly Row[], bytes: Uint8Array): AddressClass | undefined =>
  rows.find(([prefix, bits]) => sharesPrefix(bytes, prefix, bits))?.[2]

function sharesPrefix(bytes: Uint8Array, prefix: ArrayLike<number>, bits: number): boolean {
  for (let index = 0; index * 8 < bits; index++) {
    if (((bytes[index]! ^ prefix[index]!) & byteMask(bits, index)) !== 0) return false
  }
  return true
}

const byteMask = (bits: number, index: number): number => (0xff00 >> Math.min(8, Math.max(0, bits - index * 8))) & 0xff

/** The address itself for IPv4, its /64 network for IPv6. */
export const networkOf = (address: string): string => startOf(address, NETWORK_BYTES)

/** The same for a site, /48 of IPv6. */
export const siteOf = (address: string): string => startOf(address, SITE_BYTES)

function startOf(address: string, length: number): string {
  const bytes = address.includes('.') ? null : toAddressBytes(address)
  return bytes === null ? address : Buffer.from(bytes.subarray(0, length)).toString('hex')
}
