import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AnyFormat } from '../../../src/audio/format.ts'

interface Checker {
  program: string
  formats: AnyFormat[]
  args: (file: string) => string[]
  /** A line of its output that says nothing against the file. */
  harmless?: RegExp
  /** Only lines like these say something against it; every line on standard error otherwise. */
  problem?: RegExp
}

const CHECKERS: Checker[] = [
  { program: 'ffprobe', formats: ['wav', 'mp3', 'opus', 'flac', 'm4b'], args: (file) => ['-v', 'warning', '-i', file] },
  // FLAC that grew while it was sent has no checksum.
  { program: 'flac', formats: ['flac'], args: (file) => ['-ts', file], harmless: /cannot check MD5 signature/ },
  { program: 'opusinfo', formats: ['opus'], args: (file) => [file], problem: /WARNING|ERROR/ },
  // It misses tags of a title and an artist.
  {
    program: 'mp3val',
    formats: ['mp3'],
    args: (file) => [file],
    problem: /WARNING|ERROR/,
    harmless: /No supported tags/,
  },
  { program: 'sox', formats: ['wav', 'flac'], args: (file) => [file, '-n', 'trim', '0'] },
]

/** The complaints of ffprobe, flac, opusinfo, mp3val and sox about a file, each line after its program's name. A missing program says nothing. */
export function fileProblems(bytes: Uint8Array, format: AnyFormat): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'sonant-audio-'))
  try {
    const file = join(folder, `file.${format}`)
    writeFileSync(file, bytes)
    return CHECKERS.filter(({ formats }) => formats.includes(format)).flatMap((checker) => problemsBy(checker, file))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function problemsBy({ program, args, harmless, problem }: Checker, file: string): string[] {
  const said = spawnSync(program, args(file), { encoding: 'utf8' })
  if (said.error !== undefined) return []
  const lines = (problem === undefined ? said.stderr : said.stdout + said.stderr).split('\n')
  const against = lines.filter((line) => line.trim() !== '' && (problem?.test(line) ?? true) && !harmless?.test(line))
  if (said.status !== 0) against.push(`exit status ${said.status}`)
  return against.map((line) => `${program}: ${line}`)
}
