import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import fs, {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { afterAll, describe, expect, test } from 'vitest'
import { openDisk } from '../../src/storage/disk.ts'
import { verifyMediaPath } from '../../src/storage/sign-url.ts'
import { describeStorage } from '../setup/checks/storage-contract.ts'

const signingKey = randomBytes(32)
const root = mkdtempSync(join(tmpdir(), 'sonant-disk-'))
const WAV = { contentType: 'audio/wav' }
let opened = 0

const newDir = () => join(root, `store-${opened++}`)
const openIn = (dir: string) => openDisk({ dir, publicUrl: () => 'https://voice.example/base/', signingKey })

afterAll(() => rmSync(root, { recursive: true }))

describeStorage('disk', () => openIn(newDir()))

describe('disk', () => {
  test('directories are made with mode 0700 and files with 0600', async () => {
    const dir = newDir()
    await openIn(dir).put('job_1/audio.wav', Buffer.from('x'), WAV)
    expect(statSync(dir).mode & 0o777).toBe(0o700)
    expect(statSync(join(dir, 'job_1')).mode & 0o777).toBe(0o700)
    expect(statSync(join(dir, 'job_1/audio.wav')).mode & 0o777).toBe(0o600)
  })

  test('that is made with its parents has all of their entries on the disk before it is used', () => {
    const [above, sync] = [newDir(), fs.fsyncSync]
    const synced: string[] = []
    fs.fsyncSync = (descriptor) => {
      synced.push(fs.readlinkSync(`/proc/self/fd/${descriptor}`))
      sync(descriptor)
    }
    syncBuiltinESMExports()
    try {
      openIn(join(above, 'a/b'))
      expect(synced).toEqual([root, above, join(above, 'a'), join(above, 'a/b')])
      openIn(join(above, 'a/b'))
      expect(synced).toHaveLength(4)
    } finally {
      fs.fsyncSync = sync
      syncBuiltinESMExports()
    }
  })

  test('a file that lives for minutes is not synced, any other one is', async () => {
    const disk = openIn(newDir())
    const [synced, sync] = [new Set<string>(), fs.fsync]
    let key = ''
    fs.fsync = ((...given: Parameters<typeof sync>) => {
      synced.add(key)
      sync(...given)
    }) as typeof sync
    syncBuiltinESMExports()
    try {
      for (key of ['job_1/brief', 'job_2/kept'])
        await disk.put(key, Buffer.from('x'), { ...WAV, isBrief: key.endsWith('brief') })
      expect([...synced]).toEqual(['job_2/kept'])
      expect(await buffer(await disk.read('job_1/brief'))).toEqual(Buffer.from('x'))
    } finally {
      fs.fsync = sync
      syncBuiltinESMExports()
    }
  })

  test('opening removes temporary files older than an hour and keeps younger ones', () => {
    const dir = newDir()
    const incoming = join(dir, '.incoming')
    mkdirSync(incoming, { recursive: true })
    for (const name of ['old', 'young']) writeFileSync(join(incoming, name), 'half')
    const old = Date.now() / 1000 - 3700
    utimesSync(join(incoming, 'old'), old, old)
    openIn(dir)
    expect(readdirSync(incoming)).toEqual(['young'])
  })

  test('a failed put leaves no temporary file and destroys its source', async () => {
    const dir = newDir()
    const source = Readable.from([randomBytes(10)])
    await expect(openIn(dir).put('../out', source, WAV)).rejects.toThrow('malformed')
    expect(source.destroyed).toBe(true)
    const failing = new Readable({ read: () => failing.destroy(new Error('gone')) })
    await expect(openIn(dir).put('job_1/a', failing, WAV)).rejects.toThrow('gone')
    expect(readdirSync(join(dir, '.incoming'))).toEqual([])
    expect(existsSync(join(dir, 'job_1'))).toBe(false)
  })

  test('a reader that started before a replacement reads the old content to its end', async () => {
    const storage = openIn(newDir())
    const [old, fresh] = [randomBytes(500_000), randomBytes(400_000)]
    await storage.put('job_1/a', old, WAV)
    const reading = await storage.read('job_1/a')
    await storage.put('job_1/a', fresh, WAV)
    expect((await buffer(reading)).equals(old)).toBe(true)
    expect((await buffer(await storage.read('job_1/a'))).equals(fresh)).toBe(true)
  })

  test('putting and deleting neighbours at the same time never fails', async () => {
    const dir = newDir()
    const storage = openIn(dir)
    const rounds = Array.from({ length: 40 }, async (_, index) => {
      await storage.put(`job_1/${index % 4}`, randomBytes(10), WAV)
      await storage.delete(`job_1/${index % 4}`)
    })
    await Promise.all(rounds)
    await storage.put('job_1/last', Buffer.from('x'), WAV)
    expect(readdirSync(dir).sort()).toEqual(['.incoming', 'job_1'])
    await storage.delete('job_1/last')
    expect(readdirSync(dir)).toEqual(['.incoming'])
  })

  test('a put that fails leaves nothing', async () => {
    const dir = newDir()
    const storage = openIn(dir)
    rmSync(join(dir, '.incoming'), { recursive: true })
    await storage.put('job_1/1/audio.wav', Buffer.from('x'), WAV)
    expect(readdirSync(join(dir, 'job_1/1'))).toEqual(['audio.wav'])
    mkdirSync(join(dir, 'job_2/1/audio.wav/full'), { recursive: true })
    await expect(storage.put('job_2/1/audio.wav', Buffer.from('x'), WAV)).rejects.toThrow()
    expect(readdirSync(join(dir, 'job_2/1'))).toEqual(['audio.wav'])
    await expect(storage.put(`job_3/1/${'a'.repeat(300)}`, Buffer.from('x'), WAV)).rejects.toThrow('ENAMETOOLONG')
    expect(existsSync(join(dir, 'job_3'))).toBe(false)
  })

  test('a folder that is deleted again and again while it is written into fails no put', async () => {
    const storage = openIn(newDir())
    const rounds = Array.from({ length: 40 }, async () => {
      await storage.put('job_1/1/audio.wav', randomBytes(10), WAV)
      await storage.deleteBelow('job_1')
    })
    await Promise.all(rounds)
    expect(await storage.stat('job_1/1/audio.wav')).toBeNull()
  })

  test('a directory is not an artifact', async () => {
    const storage = openIn(newDir())
    await storage.put('job_1/a', Buffer.from('x'), WAV)
    expect(await storage.stat('job_1')).toBeNull()
    await expect(storage.read('job_1')).rejects.toThrow()
    await storage.delete('job_1')
    expect((await storage.stat('job_1/a'))?.bytes).toBe(1)
    expect(await storage.stat('job_1/a/b')).toBeNull()
  })

  test('a signed URL starts with the public URL and is valid for 15 minutes', () => {
    const now = new Date('2026-01-31T09:05:00Z')
    const url = openIn(newDir()).signUrl('job_1/audio.wav', { ...WAV, now }) as string
    expect(url.startsWith('https://voice.example/base/media/job_1/audio.wav?')).toBe(true)
    const path = url.slice('https://voice.example/base'.length)
    const grantAfter = (seconds: number) => verifyMediaPath(signingKey, path, new Date(now.getTime() + seconds * 1000))
    expect(grantAfter(899)).toMatchObject({ key: 'job_1/audio.wav', contentType: 'audio/wav' })
    expect(grantAfter(900)).toBeNull()
  })
})

describe('a full disk', () => {
  test.skipIf(!canMount())('rejects with ENOSPC, leaves nothing and keeps what was there', () => {
    const mount = join(root, 'full')
    mkdirSync(mount)
    // The mount lives in a namespace of its own and ends with the child.
    const script = 'mount -t tmpfs -o size=256k none "$1" && exec "$2" --input-type=module -e "$3" "$1" "$4"'
    const disk = new URL('../../src/storage/disk.ts', import.meta.url).href
    const output = execFileSync('unshare', ['-m', 'sh', '-c', script, 'sh', mount, process.execPath, FULL_DISK, disk])
    expect(JSON.parse(output.toString())).toEqual({ code: 'ENOSPC', size: null, incoming: [], kept: 'kept', after: 5 })
  })
})

const FULL_DISK = `
  import { readdirSync } from 'node:fs'
  import { Readable } from 'node:stream'
  import { text } from 'node:stream/consumers'
  const [dir, module] = process.argv.slice(1)
  const { openDisk } = await import(module)
  const storage = openDisk({ dir, publicUrl: () => '', signingKey: new Uint8Array(32) })
  await storage.put('a/kept', Buffer.from('kept'), {})
  const source = Readable.from(Array.from({ length: 16 }, () => Buffer.alloc(65536, 1)))
  const code = await storage.put('a/big', source, {}).then(() => 'stored', (error) => error.code)
  const [size, incoming] = [await storage.stat('a/big'), readdirSync(dir + '/.incoming')]
  const kept = await text(await storage.read('a/kept'))
  const after = (await storage.put('a/small', Buffer.from('small'), {})).bytes
  console.log(JSON.stringify({ code, size, incoming, kept, after }))
`

function canMount(): boolean {
  try {
    execFileSync('unshare', ['-m', 'sh', '-c', 'mount -t tmpfs none /tmp'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
