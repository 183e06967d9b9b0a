import { crc32 } from 'node:zlib'
import { expect } from 'vitest'

/** The files of a ZIP without compression, by their names, as its central directory lists them. */
export function filesIn(zip: Buffer): Map<string, Buffer> {
  const end = zip.lastIndexOf('PK\x05\x06', undefined, 'latin1')
  let at = zip.readUInt32LE(end + 16)
  const files = new Map<string, Buffer>()
  for (let n = zip.readUInt16LE(end + 10); n > 0; n--) {
    const [method, crc, size] = [zip.readUInt16LE(at + 10), zip.readUInt32LE(at + 16), zip.readUInt32LE(at + 24)]
    const [named, extra, comment] = [28, 30, 32].map((place) => zip.readUInt16LE(at + place)) as [
      number,
      number,
      number,
    ]
    const local = zip.readUInt32LE(at + 42)
    const begin = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28)
    const content = zip.subarray(begin, begin + size)
    expect([method, crc32(content)]).toEqual([0, crc])
    files.set(zip.toString('utf8', at + 46, at + 46 + named), content)
    at += 46 + named + extra + comment
  }
  return files
}
