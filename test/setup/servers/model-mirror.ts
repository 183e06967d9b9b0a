import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeModel } from '../speech/tiny-models.ts'
import { type Listening, listening } from './listening.ts'

const TRICKLE_PARTS = 40
const TRICKLE_MS = 10

/** How the next answer fails, or differs. `slow` comes in many small parts. */
type Manner = 'cut' | 'slow' | 'busy' | 'forbidden' | { readonly redirect: string }

interface Asked {
  readonly path: string
  readonly range: string | undefined
}

export interface ModelMirror extends Listening {
  readonly asked: Asked[]
  /** By path. */
  readonly files: Map<string, Buffer>
  /** For the next answers, in order. */
  readonly manners: Manner[]
}

/** Serves files as GitHub's releases do, ranges included. */
export async function startModelMirror(): Promise<ModelMirror> {
  const [asked, files, manners] = [[] as Asked[], new Map<string, Buffer>(), [] as Manner[]]
  const server = createServer((request, response) => {
    const path = request.url ?? '/'
    asked.push({ path, range: request.headers.range })
    serve(request, response, files.get(path), manners.shift())
  })
  return { ...(await listening(server, 0)), asked, files, manners }
}

function serve(request: IncomingMessage, response: ServerResponse, file: Buffer | undefined, manner?: Manner): void {
  if (manner === 'busy') return void response.writeHead(503).end()
  if (manner === 'forbidden') return void response.writeHead(403).end()
  if (typeof manner === 'object') return void response.writeHead(302, { location: manner.redirect }).end()
  if (file === undefined) return void response.writeHead(404).end('Not Found')
  const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0)
  if (from >= file.length) return void response.writeHead(416, { 'content-range': `bytes */${file.length}` }).end()
  const range = { 'content-range': `bytes ${from}-${file.length - 1}/${file.length}` }
  response.writeHead(from > 0 ? 206 : 200, { 'content-length': file.length - from, ...(from > 0 && range) })
  const rest = file.subarray(from)
  if (manner === 'cut') trickle(response, rest.subarray(0, Math.ceil(rest.length / 2)), () => response.destroy())
  else if (manner === 'slow') trickle(response, rest, () => response.end())
  else response.end(rest)
}

function trickle(response: ServerResponse, rest: Buffer, end: () => void): void {
  const part = Math.max(1, Math.ceil(rest.length / TRICKLE_PARTS))
  let sent = 0
  const timer = setInterval(() => {
    response.write(rest.subarray(sent, sent + part))
    sent += part
    if (sent < rest.length && !response.destroyed) return
    clearInterval(timer)
    end()
  }, TRICKLE_MS)
}

/** An archive in the form of the releases: one directory. @param rename tar's way to rename entries */
export async function archiveOf(
  directory: string,
  files: Readonly<Record<string, string | Uint8Array>>,
  { rename, shell }: { readonly rename?: string; readonly shell?: string } = {},
): Promise<Buffer> {
  const place = mkdtempSync(join(tmpdir(), 'sonant-archive-'))
  try {
    await writeModel(join(place, directory), files)
    if (shell !== undefined) execFileSync('sh', ['-c', shell], { cwd: join(place, directory) })
    const renamed = rename === undefined ? [] : ['--transform', rename]
    execFileSync('tar', ['-cjPf', 'made.tar.bz2', ...renamed, directory], { cwd: place })
    return readFileSync(join(place, 'made.tar.bz2'))
  } finally {
    rmSync(place, { recursive: true })
  }
}
