import { readdir, stat } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import { FailedAttempt } from '../engine.ts'
import type { SherpaBlock } from '../engine-block.ts'
import { FAMILIES, type ModelFile, rulesOf } from './sherpa-families.ts'

const MOST_NAMED = 5

interface ModelFiles {
  readonly model: Readonly<Record<string, string>>
  readonly rules: Readonly<Record<string, string>>
}

/** @param modelsDir base of relative paths @throws FailedAttempt naming all missing or ambiguous files */
export async function findModelFiles(
  { family, model_dir: directory, files }: Pick<SherpaBlock, 'family' | 'model_dir' | 'files'>,
  modelsDir: string,
): Promise<ModelFiles> {
  const folder = isAbsolute(directory) ? directory : join(modelsDir, directory)
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    throw new FailedAttempt(`model_dir ${folder} cannot be read where this worker runs (${error.code}).`)
  })
  const violations: string[] = []
  const find = async (rules: readonly ModelFile[]) => {
    const found = await Promise.all(
      rules.map(async (rule) => {
        const given = files[rule.name]
        const paths = given === undefined ? pick(rule, names, violations) : given.split(',')
        const whole = paths.map((path) => (isAbsolute(path) ? path : join(folder, path)))
        if (given !== undefined) violations.push(...(await missing(rule.name, whole)))
        return whole.length === 0 ? [] : [[camelCase(rule.name), whole.join(',')] as const]
      }),
    )
    return Object.fromEntries(found.flat())
  }
  const [model, rules] = [await find(FAMILIES[family].files), await find(rulesOf(family))]
  if (violations.length > 0)
    throw new FailedAttempt(`The model in ${folder} cannot be loaded: ${violations.join('; ')}.`)
  return { model, rules }
}

function pick(rule: ModelFile, names: readonly string[], violations: string[]): string[] {
  const { name, pattern, but, first = [], isOptional = false, isList = false, isNamedOnly = false } = rule
  if (isNamedOnly) return []
  const found = names
    .filter((candidate) => pattern.test(candidate) && but?.test(candidate) !== true)
    .sort()
    .sort((a, b) => rankIn(first, a) - rankIn(first, b))
  if (found.length === 0 && !isOptional) violations.push(`there is no file for ${name} (files.${name} may name one)`)
  if (found.length <= 1 || isList) return found
  violations.push(`files.${name} must name one of ${found.slice(0, MOST_NAMED).join(', ')}`)
  return []
}

function rankIn(kinds: readonly RegExp[], name: string): number {
  const at = kinds.findIndex((kind) => kind.test(name))
  return at < 0 ? kinds.length : at
}

async function missing(name: string, paths: readonly string[]): Promise<string[]> {
  const absent = await Promise.all(
    paths.map((path) =>
      stat(path).then(
        () => [],
        () => [path],
      ),
    ),
  )
  return absent.flat().map((path) => `files.${name} names ${path}, which is not there`)
}

const camelCase = (name: string): string => name.replace(/_(\w)/g, (_all, letter: string) => letter.toUpperCase())
