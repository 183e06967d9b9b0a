import { isIP } from 'node:net'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { classifyAddress, isAllowed, parseCidr, toAddressBytes } from '../../src/egress/ip-ranges.ts'

/** The registries once more, as text, for a slow reference that shares nothing with the code under test. */
const NOT_PUBLIC_V4 = `0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 168.63.129.16/32 169.254.0.0/16 172.16.0.0/12
  192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4
  240.0.0.0/4 255.255.255.255/32`.split(/\s+/)
const NOT_PUBLIC_V6 = `0:0:0:0:0:0:0:0/3 2001:0:0:0:0:0:0:0/23 2001:db8:0:0:0:0:0:0/32 2002:0:0:0:0:0:0:0/16
  3fff:0:0:0:0:0:0:0/20 4000:0:0:0:0:0:0:0/2 8000:0:0:0:0:0:0:0/1`.split(/\s+/)
const CLASSES =
  `8.8.8.8=public 0.0.0.0=unspecified 127.0.0.1=loopback 10.1.2.3=private 172.31.0.1=private 172.32.0.1=public
  100.100.100.200=cgnat 169.254.169.254=link-local 168.63.129.16=metadata 198.19.0.1=benchmark
  192.0.2.1=documentation 192.88.99.1=6to4 224.0.0.1=multicast 255.255.255.255=reserved 192.0.0.192=reserved
  ::ffff:127.0.0.1=loopback ::=unspecified ::1=loopback ::127.0.0.1=ipv4-compatible 64:ff9b::8.8.8.8=public
  64:ff9b::127.0.0.1=nat64 64:ff9b:1::1=nat64 100::1=discard 2001::1=teredo 2001:10::1=orchid
  2001:2f::1=orchid 2001:2::1=benchmark 2001:1::1=reserved 2001:db8::1=documentation 3fff::1=documentation
  2002:808:808::1=6to4 5f00::1=segment-routing fd00:ec2::254=unique-local fd7a:115c:a1e0::1=unique-local
  febf::1=link-local fec0::1=site-local ff0e::1=multicast ::ffff:0:127.0.0.1=reserved
  2001:470::5efe:7f00:1=isatap 2001:470::200:5efe:7f00:1=isatap 2606:4700:4700::1111=public`
    .split(/\s+/)
    .map((row) => row.split('=') as [string, string])

const NO_ADDRESSES =
  `,1.2.3,1.2.3.4.5,01.2.3.4,1.2.3.256,0x7f.0.0.1,1.2.3.4 ,:,:::,1::2::3,1:2:3:4:5:6:7,1:2:3:4:5:6:7:8:9,
1::2:3:4:5:6:7:8,::12345,::g,fe80::1%eth0,[::1],::1.2.3,1.2.3.4::,::1/128`.split(/,\n?/)
const MAPPED = 0xffffn << 32n
const NAT64 = 0x64ff9bn << 96n

const bigOfV4 = (text: string) => text.split('.').reduce((sum, part) => sum * 256n + BigInt(part), 0n)
const bigOfV6 = (text: string) => text.split(':').reduce((sum, part) => sum * 65_536n + BigInt(`0x${part}`), 0n)
const bigOf = (bytes: Uint8Array) => BigInt(`0x${Buffer.from(bytes).toString('hex')}`)
const bytesOf = (value: bigint) => Uint8Array.from(Buffer.from(value.toString(16).padStart(32, '0'), 'hex'))

function within(value: bigint, cidr: string, width: number, parse: (text: string) => bigint): boolean {
  const [ip = '', bits] = cidr.split('/')
  const size = 2n ** BigInt(width - Number(bits))
  return value / size === parse(ip) / size
}

const isPublicV4 = (value: bigint) => !NOT_PUBLIC_V4.some((cidr) => within(value, cidr, 32, bigOfV4))

function isPublic(value: bigint): boolean {
  const low = value % 2n ** 32n
  if (value - low === MAPPED || value - low === NAT64) return isPublicV4(low)
  if (NOT_PUBLIC_V6.some((cidr) => within(value, cidr, 128, bigOfV6))) return false
  return !['00005efe', '02005efe'].includes(value.toString(16).padStart(32, '0').slice(16, 24))
}

const textOf = (bytes: Uint8Array) =>
  Array.from({ length: 8 }, (_, index) => (bytes[index * 2]! * 256 + bytes[index * 2 + 1]!).toString(16)).join(':')

const anyBytes = fc.uint8Array({ minLength: 16, maxLength: 16 })
const anyV4 = fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.nat(255)).map((parts) => parts.join('.'))
const edges = [
  ...NOT_PUBLIC_V4.flatMap((cidr) => edgesOf(cidr, 32, bigOfV4).flatMap((value) => [MAPPED + value, NAT64 + value])),
  ...NOT_PUBLIC_V6.flatMap((cidr) => edgesOf(cidr, 128, bigOfV6)),
]

/** The first and last address of a block, and their neighbours outside. */
function edgesOf(cidr: string, width: number, parse: (text: string) => bigint): bigint[] {
  const [ip = '', bits] = cidr.split('/')
  const [first, size] = [parse(ip), 2n ** BigInt(width - Number(bits))]
  return [first - 1n, first, first + size - 1n, first + size].filter(
    (value) => value >= 0n && value < 2n ** BigInt(width),
  )
}

describe('toAddressBytes', () => {
  test('IPv4 becomes v4-mapped', () => {
    expect(toAddressBytes('1.2.3.4')).toEqual(Uint8Array.from([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 1, 2, 3, 4]))
    fc.assert(
      fc.property(anyV4, (v4) => {
        expect(toAddressBytes(`::ffff:${v4}`)).toEqual(toAddressBytes(v4))
      }),
    )
  })

  test('every address survives being written out in full and shortened', () => {
    const sparse = fc
      .array(fc.constantFrom(0, 0, 0, 1, 255), { minLength: 16, maxLength: 16 })
      .map(Uint8Array.from.bind(Uint8Array))
    fc.assert(
      fc.property(fc.oneof(anyBytes, sparse as typeof anyBytes), (bytes) => {
        expect(toAddressBytes(textOf(bytes))).toEqual(bytes)
        expect(toAddressBytes(new URL(`https://[${textOf(bytes)}]/`).hostname.slice(1, -1))).toEqual(bytes)
      }),
      { numRuns: 500 },
    )
  })

  test.each(NO_ADDRESSES)('%j is no address', (text) => expect(toAddressBytes(text)).toBeNull())

  test('exactly the texts without a zone that the platform takes for addresses are addresses', () => {
    const piece = fc.constantFrom(':', '::', '.', '0', '1', '00', 'ff', 'FFFF', '256', '255', '1.2.3.4', 'g')
    const text = fc.array(piece, { maxLength: 17 }).map((pieces) => pieces.join(''))
    const groups = fc
      .array(fc.constantFrom('', '0', 'a1', '::'), { minLength: 6, maxLength: 9 })
      .map((parts) => parts.join(':'))
    fc.assert(
      fc.property(
        fc.oneof(text, groups),
        (candidate) => (toAddressBytes(candidate) !== null) === (isIP(candidate) !== 0),
      ),
      { numRuns: 5000 },
    )
  })
})

describe('classifyAddress', () => {
  test('agrees with a slow reference, at random and at the edges of every block', () => {
    for (const value of edges)
      expect([textOf(bytesOf(value)), isAllowed(bytesOf(value), [])]).toEqual([textOf(bytesOf(value)), isPublic(value)])
    const near = fc.tuple(fc.constantFrom(...edges), fc.bigInt({ min: -3n, max: 3n })).map(([edge, by]) => edge + by)
    const global = anyBytes.map((bytes) => bigOf(bytes.with(0, 0x20 | (bytes[0]! & 0x1f))))
    const value = fc.oneof(
      anyBytes.map(bigOf),
      anyV4.map((v4) => MAPPED + bigOfV4(v4)),
      global,
      near,
    )
    fc.assert(
      fc.property(
        value.filter((candidate) => candidate >= 0n && candidate < 2n ** 128n),
        (candidate) => (classifyAddress(bytesOf(candidate)) === 'public') === isPublic(candidate),
      ),
      { numRuns: 5000 },
    )
  })

  test.each(CLASSES)('%s is %s', (ip, expected) => expect(classifyAddress(toAddressBytes(ip)!)).toBe(expected))

  test('bytes of another length are refused instead of passed', () => {
    expect(() => classifyAddress(Uint8Array.from([8, 8, 8, 8]))).toThrow(RangeError)
  })
})

describe('parseCidr and isAllowed', () => {
  const allowed = (ip: string, ...cidrs: string[]) => isAllowed(toAddressBytes(ip)!, cidrs.map(parseCidr))

  test('a listed block is allowed, and nothing else', () => {
    expect(allowed('10.1.2.3', '10.0.0.0/8')).toBe(true)
    expect(allowed('::ffff:10.1.2.3', '10.0.0.0/8')).toBe(true)
    expect(allowed('11.0.0.1')).toBe(true)
    expect(allowed('192.168.0.1', '10.0.0.0/8', '192.168.0.0/31')).toBe(true)
    expect(allowed('192.168.0.2', '10.0.0.0/8', '192.168.0.0/31')).toBe(false)
    expect(allowed('127.0.0.1', '127.0.0.1/32')).toBe(true)
    expect(allowed('fd00::5', 'fd00::/8')).toBe(true)
    expect(allowed('64:ff9b::a00:1', '10.0.0.0/8')).toBe(false)
  })

  test('each family stays by itself', () => {
    expect(allowed('127.0.0.1', '::/0')).toBe(false)
    expect(allowed('::1', '::/0')).toBe(true)
    expect(allowed('::1', '0.0.0.0/0')).toBe(false)
    expect(allowed('127.0.0.1', '0.0.0.0/0')).toBe(true)
  })

  test('a block holds exactly the addresses that share its first bits', () => {
    fc.assert(
      fc.property(anyBytes, fc.nat(128), fc.nat(127), (bytes, bits, flipped) => {
        const inside = bytes.with(0, 0xfd)
        const other = bytesOf(bigOf(inside) ^ (1n << BigInt(127 - flipped)))
        const cidr = parseCidr(`${textOf(inside)}/${bits}`)
        expect(isAllowed(inside, [cidr])).toBe(true)
        if (!isPublic(bigOf(other))) expect(isAllowed(other, [cidr])).toBe(flipped >= bits)
      }),
    )
  })

  test.each([
    '',
    '10.0.0.0',
    '10.0.0.0/',
    '10.0.0.0/33',
    '10.0.0.0/08',
    '10.0.0/8',
    '::/129',
    '::1%lo/128',
    ' ::/0',
    '10.0.0.0/8/8',
    '10.0.0.0/-1',
  ])('%j is no block', (text) => expect(() => parseCidr(text)).toThrow(RangeError))
})
