import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { models as listModels, removeModel } from '../../src/models/installed-models.ts'
import { directoryOf, type KnownModel, readModelIndex } from '../../src/models/model-index.ts'
import { type PullInput, pullModel } from '../../src/models/pull-model.ts'
import { freePorts } from '../setup/http.ts'
import { runHere, sonantHere } from '../setup/processes/command-here.ts'
import { canMount } from '../setup/processes/mounts.ts'
import { cleanUp, makeTempDir, run } from '../setup/processes/process.ts'
import { archiveOf, type ModelMirror, startModelMirror } from '../setup/servers/model-mirror.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'
import { TINY_FAMILIES } from '../setup/speech/tiny-families.ts'
import { tinyTokens, tinyVits } from '../setup/speech/tiny-models.ts'
import { readWav } from '../setup/speech/wav.ts'

interface Pulled {
  readonly endpoint: string | null
  readonly directory: string
  readonly new: boolean
  readonly sha256: string
  readonly pinned_in: string | null
  readonly spoken: readonly { readonly language: string; readonly audio_ms: number }[] | null
  readonly command: string
}

const LETTERS = { 'model.onnx': tinyVits(), 'tokens.txt': tinyTokens() }
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

let service: TestRuntime
let mirror: ModelMirror
let env: Record<string, string>
let folder: string
let letters: Buffer
beforeAll(async () => {
  ;[service, mirror] = await Promise.all([startTestRuntime(), startModelMirror()])
  folder = join(service.dataDir, 'models')
  env = { DATABASE_URL: service.runtime.db.url, DATA_DIR: service.dataDir, SONANT_MODELS_URL: `${mirror.url}/mirror/` }
  letters = await archiveOf('letters', LETTERS)
})
beforeEach(() => {
  mirror.asked.length = 0
  mirror.manners.length = 0
  mirror.files.clear()
})
afterAll(async () => {
  await mirror?.close()
  await service?.close()
  await cleanUp()
})

const system = () => service.runtime.as({ kind: 'system' })
const offer = (name: string, archive: Buffer): string => {
  mirror.files.set(`/${name}`, archive)
  return `${mirror.url}/${name}`
}
const pull = (from: string) => sonantHere<Pulled>(env, 'models', 'pull', '--from', from)
/** Returns the message of a command that fails and leaves nothing behind. */
async function refusal(...args: string[]): Promise<{ error: string; error_code: string }> {
  const before = await installed()
  const { code, stdout } = await runHere(['models', ...args, '--json'], env)
  expect([code, await installed()]).toEqual([1, before])
  return JSON.parse(stdout)
}
async function installed(): Promise<string[][]> {
  const { catalog } = service.runtime
  await catalog.reload()
  const directories = (await readdir(folder).catch(() => [])).filter((name) => name !== '.pulling')
  return [directories.sort(), [...catalog.current.endpoints.keys()].sort()]
}
const underWay = () => readdir(join(folder, '.pulling')).catch(() => [])

describe('sonant models pull --from', () => {
  test('installs an archive that the index does not know, pins it, and prints a command that speaks', async () => {
    const name = 'vits-piper-en_US-tiny-medium'
    const json = { 'model.onnx.json': JSON.stringify({ language: { name_english: 'English' } }) }
    const archive = await archiveOf(`./${name}`, { ...LETTERS, ...json })
    const pulled = await pull(offer(`${name}.tar.bz2`, archive))
    expect(pulled).toMatchObject({ endpoint: name.toLowerCase(), new: true, sha256: sha256(archive) })
    expect(pulled.spoken).toEqual([expect.objectContaining({ language: 'English', audio_ms: expect.any(Number) })])
    expect(pulled.pinned_in).toBe(join(folder, `${name}.sha256`))
    expect(await underWay()).toEqual([])
    const said = /^\S+ sonant (say) "(.+)" --endpoint (\S+) -o (\S+)$/.exec(pulled.command)
    const output = join(await makeTempDir(), 'said.wav')
    await sonantHere(env, said![1]!, said![2]!, '--endpoint', said![3]!, '-o', output)
    expect(readWav(await readFile(output)).durationMs).toBeGreaterThan(500)
    const shown = await sonantHere(env, 'endpoints', 'show', pulled.endpoint!)
    expect(shown).toMatchObject({ voices: [{ slug: 'speaker-0', language: 'English' }, {}, { slug: 'speaker-2' }] })
    const again = await pull(`${mirror.url}/${name}.tar.bz2`)
    expect(again).toMatchObject({ endpoint: pulled.endpoint, new: false })
    expect(mirror.asked).toHaveLength(1)
    const listed = await sonantHere<{ name: string; installed: boolean }[]>(env, 'models', 'list')
    expect(listed.filter((model) => model.installed).map((model) => model.name)).toEqual([name])
  })

  test('takes a file, and finds further files of the model beside it', async () => {
    const place = await makeTempDir()
    await writeFile(join(place, 'file-letters.tar.bz2'), letters)
    expect(await pull(join(place, 'file-letters.tar.bz2'))).toMatchObject({ endpoint: 'file-letters', new: true })
    expect(await refusal('pull', '--from', join(place, 'none.tar.bz2'))).toMatchObject({
      error: expect.stringContaining('cannot be read'),
    })
    await mkdir(join(place, 'folder.tar.bz2'))
    expect((await refusal('pull', '--from', join(place, 'folder.tar.bz2'))).error).toContain('cannot be read')
    for (const name of ['model.zip', 'jobs.tar.bz2', '___.tar.bz2']) {
      await writeFile(join(place, name), letters)
      const refused = await refusal('pull', '--from', join(place, name))
      expect([name, refused]).toEqual([name, expect.objectContaining({ error_code: 'INVALID_REQUEST' })])
    }
    expect((await refusal('pull', '--from', 'https://me:secret@example.org/a.tar.bz2')).error).not.toContain('secret')
  })

  test('follows redirects, waits for a slow server, and asks again for what a busy or broken one did not give', async () => {
    const from = offer('slow.tar.bz2', await archiveOf('slow', { ...LETTERS, 'README.md': 'read me\n'.repeat(50) }))
    const elsewhere = from.replace('127.0.0.1', 'localhost')
    mirror.manners.push({ redirect: elsewhere }, 'busy', { redirect: '/slow.tar.bz2' }, 'cut', 'slow')
    expect(await pull(from)).toMatchObject({ endpoint: 'slow', new: true })
    const ranges = mirror.asked.map(({ range }) => range)
    expect([ranges.length, ranges.at(-1)]).toEqual([5, expect.stringMatching(/^bytes=[1-9]\d*-$/)])
  })

  test('says what is wrong with an archive that it does not install, and keeps nothing of it', async () => {
    const whole = letters
    const cases: Readonly<Record<string, readonly [Buffer, RegExp]>> = {
      truncated: [whole.subarray(0, whole.length - 40), /damaged/],
      page: [Buffer.from('<html>Sign in</html>'), /damaged/],
      empty: [await archiveOf('empty', { 'README.md': 'nothing' }), /no model that sherpa-onnx speaks with/],
      torch: [
        await archiveOf('torch', { 'model.safetensors': 'weights', 'config.json': '{}' }),
        /model\.safetensors, which is for another runtime/,
      ],
      upward: [await archiveOf('upward', LETTERS, { rename: 's,^upward/tokens,upward/../../evil,' }), /leads out/],
      absolute: [await archiveOf('absolute', LETTERS, { rename: `s,^absolute/tokens,${folder}/evil,` }), /leads out/],
      symlink: [await archiveOf('symlink', LETTERS, { shell: 'ln -s /etc/passwd lexicon.txt' }), /a symlink/],
      hardlink: [await archiveOf('hardlink', LETTERS, { shell: 'ln model.onnx other.onnx' }), /a link/],
      twice: [await archiveOf('twice', LETTERS, { rename: 's,tokens,model,;s,txt$,onnx,' }), /a name twice/],
      below: [await archiveOf('below', LETTERS, { rename: 's,tokens,model.onnx/tokens,' }), /a name twice/],
      fifo: [await archiveOf('fifo', LETTERS, { shell: 'mkfifo pipe' }), /a fifo/],
      bomb: [await archiveOf('bomb', LETTERS, { shell: 'head -c 6000000 /dev/zero >weights.bin' }), /unpacks to more/],
      unloadable: [await archiveOf('unloadable', { ...LETTERS, 'model.onnx': 'no graph' }), /cannot be loaded/],
    }
    for (const [name, [archive, reason]] of Object.entries(cases)) {
      const { error } = await refusal('pull', '--from', offer(`${name}.tar.bz2`, archive))
      expect([name, error]).toEqual([name, expect.stringMatching(reason)])
    }
    expect(await underWay()).toEqual([])
    expect([existsSync(join(folder, 'evil.txt')), existsSync(join(service.dataDir, 'evil.txt'))]).toEqual([
      false,
      false,
    ])
  })

  test('says that a server has no such file, or cannot be reached', async () => {
    expect(await refusal('pull', '--from', `${mirror.url}/gone.tar.bz2`)).toMatchObject({ error_code: 'NOT_FOUND' })
    const [port] = await freePorts(1)
    expect(await refusal('pull', '--from', `http://127.0.0.1:${port}/away.tar.bz2`)).toMatchObject({
      error_code: 'UNAVAILABLE',
      error: expect.stringContaining('ECONNREFUSED'),
    })
  })

  test('compares an archive with the one that it pinned, also after the model was removed', async () => {
    const from = offer('pinned.tar.bz2', letters)
    const { pinned_in: pin, directory } = await pull(from)
    await sonantHere(env, 'models', 'remove', 'pinned')
    expect([existsSync(directory), existsSync(pin!)]).toEqual([false, true])
    mirror.files.set('/pinned.tar.bz2', await archiveOf('pinned', { ...LETTERS, 'README.md': 'another one' }))
    const { error } = await refusal('pull', '--from', from)
    expect(error).toContain(`instead of ${sha256(letters)}, which the first pull kept in ${pin}`)
    mirror.files.set('/pinned.tar.bz2', letters)
    expect(await pull(from)).toMatchObject({ new: true })
  })

  test('installs a model that cannot say one of its sentences, and says which', async () => {
    const [, files] = TINY_FAMILIES.Piper!
    const json = { 'en_US-amy-medium.onnx.json': JSON.stringify({ language: { name_english: 'German' } }) }
    const from = offer('long.tar.bz2', await archiveOf('long', { ...files(), ...json }))
    expect(await pull(from)).toMatchObject({
      ...{ new: true, spoken: [] },
      warnings: [expect.stringMatching(/a sentence in German: The audio takes/)],
    })
  })

  test('installs a model where the library is missing, says so, and has it speak once the library is there', async () => {
    const hiding = join(await makeTempDir(), 'hiding.cjs')
    await writeFile(
      hiding,
      `const module_ = require('node:module')
const resolve = module_._resolveFilename
module_._resolveFilename = function (name, ...rest) {
  if (/^sherpa-onnx/.test(name)) throw Object.assign(new Error('hidden'), { code: 'MODULE_NOT_FOUND' })
  return resolve.call(this, name, ...rest)
}`,
    )
    const from = offer('unheard.tar.bz2', letters)
    const ran = await run(['models', 'pull', '--from', from], { ...env, NODE_OPTIONS: `--require ${hiding}` })
    expect([ran.code, ran.stderr]).toEqual([0, expect.stringMatching(/not tried: the packages sherpa-onnx-node and/)])
    expect(ran.stdout).toContain('Pull it again once the library is there')
    expect(await pull(from)).toMatchObject({ new: false, endpoint: 'unheard', spoken: [{ language: 'English' }] })
  })

  test('leaves an endpoint of the operator as it is', async () => {
    const from = offer('tts.tar.bz2', letters)
    expect((await refusal('pull', '--from', from)).error).toContain('The endpoint "tts" is there already')
  })
})

describe('sonant models pull NAME', () => {
  test('reads the mirror, and refuses what is not the file that the index names', async () => {
    mirror.files.set('/mirror/tts-models/kitten-nano-en-v0_8-int8.tar.bz2', letters)
    expect((await refusal('pull', 'kitten')).error).toContain(`has ${letters.length} bytes instead of 31220690`)
    expect(mirror.asked.map(({ path }) => path)).toEqual(['/mirror/tts-models/kitten-nano-en-v0_8-int8.tar.bz2'])
    expect((await refusal('pull', 'matcha')).error_code).toBe('NOT_FOUND')
  })

  test('suggests a name, and asks for consent to a restricted licence before it asks a server', async () => {
    expect((await refusal('pull', 'kokorro')).error).toContain('did you mean "kokoro"?')
    expect((await refusal('pull')).error).toContain('Name a model')
    expect((await refusal('pull', 'pocket')).error).toMatch(/no commercial use.*--accept-licence/)
    expect(mirror.asked).toEqual([])
    expect((await refusal('pull', 'pocket', '--accept-licence')).error_code).toBe('NOT_FOUND')
  })

  test.skipIf(!canMount())('says that the disk is full', async () => {
    mirror.files.set('/full.tar.bz2', await archiveOf('full', { ...LETTERS, 'README.md': randomText(400_000) }))
    const dataDir = await makeTempDir()
    const shell = `mkdir -p "$1/models" && mount -t tmpfs -o size=200k none "$1/models" && exec "$2" bin/sonant.js models pull --from ${mirror.url}/full.tar.bz2`
    const command = ['-m', 'sh', '-c', shell, 'sh', dataDir, process.execPath]
    const failed = promisify(execFile)('unshare', command, { env: { ...process.env, ...env, DATA_DIR: dataDir } })
    await expect(failed).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('is full: make room there') })
  })
})

describe('pullModel', () => {
  const [, supertonic] = TINY_FAMILIES.Supertonic!
  const known = (name: string, archive: Buffer, changes: Partial<KnownModel> = {}): KnownModel => {
    mirror.files.set(`/mirror/tts-models/${name}.tar.bz2`, archive)
    return {
      ...{ name, title: name, description: 'Two voices.', family: 'supertonic', quality: 'tiny' },
      licence: { name: 'MIT', url: 'https://example.org/licence' },
      languages: ['English', 'German'],
      files: [{ path: `tts-models/${name}.tar.bz2`, size_bytes: archive.length, sha256: sha256(archive) }],
      voices: [
        { slug: 'eve', name: 'Eve', description: '', speaker: 0 },
        { slug: 'adam', name: 'Adam', description: '', speaker: 1, language: 'German' },
      ],
      ...changes,
    }
  }
  const pullKnown = (model: KnownModel, changes: Partial<PullInput> = {}) =>
    pullModel(
      { ...system(), settings: { ...service.runtime.settings, modelsUrl: env.SONANT_MODELS_URL! } },
      { name: model.name, signal: AbortSignal.timeout(60_000), ...changes },
      [model],
    )

  test('speaks each language of a model with a voice of that language, and pins nothing', async () => {
    const model = known('two-languages', await archiveOf('two', supertonic()))
    const pulled = await pullKnown(model)
    expect(pulled.heard?.map(({ language, voice }) => [language, voice])).toEqual([
      ['English', 'eve'],
      ['German', 'adam'],
    ])
    expect([pulled.pin, pulled.endpoint]).toEqual([null, 'two-languages'])
    const { items } = await sonantHere<{ items: { slug: string; voices: number }[] }>(env, 'endpoints', 'list')
    expect(items).toContainEqual(expect.objectContaining({ slug: 'two-languages', voices: 2 }))
  })

  test('refuses a file with another checksum, and asks for it anew the next time', async () => {
    const archive = await archiveOf('sums', supertonic())
    const model = known('wrong-sum', archive)
    const changed = Buffer.from(archive)
    changed[100]! ^= 0xff
    mirror.files.set('/mirror/tts-models/wrong-sum.tar.bz2', changed)
    await expect(pullKnown(model)).rejects.toMatchObject({ message: expect.stringContaining('Nothing was installed') })
    known('wrong-sum', archive)
    expect(await pullKnown(model)).toMatchObject({ isNew: true })
    expect(mirror.asked.map(({ range }) => range)).toEqual([undefined, undefined])
  })

  test('goes on where an interrupted pull stopped', async () => {
    const archive = await archiveOf('interrupted', { ...supertonic(), 'README.md': randomText(50_000) })
    const model = known('interrupted', archive)
    mirror.manners.push('slow')
    const stop = new AbortController()
    const stopped = pullKnown(model, {
      signal: stop.signal,
      onProgress: (_step, done, total = 0) => done > total / 2 && stop.abort(new Error('enough')),
    })
    await expect(stopped).rejects.toThrow('enough')
    expect(await readdir(folder)).not.toContain('interrupted')
    // GitHub refuses a link that has expired, and a mirror may be away.
    mirror.manners.push('forbidden')
    await expect(pullKnown(model)).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: expect.stringContaining('403'),
    })
    expect(await pullKnown(model)).toMatchObject({ isNew: true })
    const rest = expect.stringMatching(/^bytes=[1-9]\d*-$/)
    expect(mirror.asked.map(({ range }) => range)).toEqual([undefined, rest, rest])
  })

  test('is one with another pull of the same model', async () => {
    const model = known('at-once', await archiveOf('at-once', supertonic()))
    mirror.manners.push('slow')
    const both = await Promise.all([pullKnown(model), pullKnown(model)])
    expect(both.map(({ isNew }) => isNew).sort()).toEqual([false, true])
    expect(mirror.asked).toEqual([{ path: '/mirror/tts-models/at-once.tar.bz2', range: undefined }])
  })

  test('puts further files beside those of the archive, and leaves a model that clones without an endpoint', async () => {
    const { 'vocos_24khz.onnx': vocoder, ...files } = TINY_FAMILIES.ZipVoice![1]()
    const archive = await archiveOf('zip', files)
    mirror.files.set('/mirror/vocoder-models/vocos_24khz.onnx', Buffer.from(vocoder as Uint8Array))
    const model = known('zip', archive, {
      family: 'zipvoice',
      voices: [],
      files: [
        { path: 'tts-models/zip.tar.bz2', size_bytes: archive.length },
        { path: 'vocoder-models/vocos_24khz.onnx', size_bytes: 1 },
      ],
    })
    expect(await pullKnown(model)).toMatchObject({ endpoint: null, heard: [], pin: join(folder, 'zip.sha256') })
    expect(await readdir(join(folder, 'zip'))).toContain('vocos_24khz.onnx')
  })
})

describe('sonant models remove', () => {
  test('deletes the model with its endpoint, unless another endpoint speaks with it', async () => {
    const { directory } = await pull(offer('removed.tar.bz2', letters))
    const shown = await runHere(['endpoints', 'show', 'removed'], env)
    const other = join(await makeTempDir(), 'other.yaml')
    await writeFile(other, shown.stdout.replace('slug: removed', 'slug: other'))
    await sonantHere(env, 'endpoints', 'apply', other)
    expect((await refusal('remove', 'removed')).error).toContain('is used by "other"')
    await sonantHere(env, 'endpoints', 'delete', 'other')
    expect(await sonantHere(env, 'models', 'remove', 'removed')).toEqual({
      name: 'removed',
      directory,
      endpoints: ['removed'],
    })
    expect((await installed()).flat()).not.toContain('removed')
  })

  test('knows a model by its directory, too', async () => {
    await pull(offer('letters.tar.bz2', letters))
    const model = readModelIndex()[0]!
    const [name, directory] = [model.name, directoryOf(model)]
    await mkdir(join(folder, directory), { recursive: true })
    const shown = await runHere(['endpoints', 'show', 'letters'], env)
    const own = join(await makeTempDir(), 'own.yaml')
    await writeFile(
      own,
      shown.stdout.replace('slug: letters', `slug: ${name}`).replace(/model_dir: .*/, `model_dir: ${directory}`),
    )
    await sonantHere(env, 'endpoints', 'apply', own)
    expect(await sonantHere(env, 'models', 'remove', directory)).toMatchObject({ endpoints: [name] })
  })

  test('says that a model is not installed, and suggests one that is', async () => {
    await pull(offer('letters.tar.bz2', letters))
    expect((await refusal('remove', 'leters')).error).toContain('did you mean "letters"?')
    await expect(removeModel(system(), { name: '../storage' })).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  test('is for operators', async () => {
    const account = await service.createAccount()
    const ctx = service.runtime.as({ kind: 'account', accountId: account, credits: 0n })
    await expect(listModels(ctx)).rejects.toMatchObject({ code: 'FORBIDDEN' })
    await expect(removeModel(ctx, { name: 'letters' })).rejects.toMatchObject({ code: 'FORBIDDEN' })
    await expect(pullModel(ctx, { signal: AbortSignal.timeout(1000) })).rejects.toMatchObject({ code: 'FORBIDDEN' })
  })
})

/** bzip2 cannot make it much smaller. */
function randomText(length: number): string {
  let [text, state] = ['', 1]
  while (text.length < length) {
    state = (state * 48_271) % 2_147_483_647
    text += state.toString(36)
  }
  return text
}
