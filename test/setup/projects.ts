import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const IMPORT = /^(?:import|export)\b[^'"]*?from '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'\)/gm
/**
 * These tests start a process, a thread or a stand-in server, open a database, speak or build the console. An injected value of vitest is the
 * address of the run's database.
 */
const SLOW =
  /^(pg|playwright-core|node:child_process|node:worker_threads)$|^test\/setup\/servers\/|^packaging\/build-console|^bench\/(environment|process)|^src\/(runtime\/|db\/embedded\/|engines\/(espeak\/espeak|sherpa\/sherpa)|audio\/audio-threads)/
const INJECTS = /\binject\('/
/** These tests claim a limit of processor time, or an end within a second. */
const TIMES = /\b(leastCpu|cpuUsage|threadCpuUsage|A_SECOND)\b/
/** These claim one of memory. */
const WEIGHS = /\b(memoryUsage|heapGrowth|queryObjects)\b/
/** These claim one of the time that the event loop is held. */
const HOLDS = /\b(leastTurn|P99_MS)\b/

type ProjectName = 'unit' | 'service' | 'timed' | 'memory' | 'alone' | 'system'

/** The test files of each project, by their paths from the root of the repository. Every test file is in one of them. */
export function sortTests(): Record<ProjectName, string[]> {
  const files = globSync('test/**/*.test.ts', { cwd: ROOT }).sort()
  const groups = Map.groupBy(files, projectOf)
  const of = (name: ProjectName): string[] => groups.get(name) ?? []
  return {
    unit: of('unit'),
    service: of('service'),
    timed: of('timed'),
    memory: of('memory'),
    alone: of('alone'),
    system: of('system'),
  }
}

/** `system` lies in test/system; of the rest, `alone`, `memory` and `timed` measure; `unit` reaches nothing slow, itself and through what it imports below test. */
export function projectOf(file: string): ProjectName {
  if (file.startsWith('test/system/')) return 'system'
  const text = readFileSync(resolve(ROOT, file), 'utf8')
  if (HOLDS.test(text)) return 'alone'
  if (WEIGHS.test(text)) return 'memory'
  if (TIMES.test(text)) return 'timed'
  return isSlow(file, new Set()) ? 'service' : 'unit'
}

function isSlow(file: string, seen: Set<string>): boolean {
  seen.add(file)
  const text = readFileSync(resolve(ROOT, file), 'utf8')
  if (INJECTS.test(text)) return true
  return importsOf(file, text).some(
    (target) => SLOW.test(target) || (isTestCode(target) && !seen.has(target) && isSlow(target, seen)),
  )
}

const isTestCode = (target: string): boolean => /^test\/.*\.ts$/.test(target) && existsSync(resolve(ROOT, target))

function importsOf(file: string, text: string): string[] {
  return [...text.matchAll(IMPORT)].map((match) => {
    const target = match[1] ?? match[2] ?? match[3] ?? ''
    return target.startsWith('.') ? relative(ROOT, resolve(ROOT, dirname(file), target)) : target
  })
}
