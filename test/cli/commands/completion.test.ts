import { spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Command } from 'commander'
import { afterAll, describe, expect, test } from 'vitest'
import { buildProgram } from '../../../src/cli/run-program.ts'
import { runHere } from '../../setup/processes/command-here.ts'
import { cleanUp, makeTempDir } from '../../setup/processes/process.ts'

/** A shell that completes nothing is waited for no longer. */
const SHELL_MS = 50_000

/** Words as they stand on the line, the last of which is being typed. */
type Line = readonly string[]

afterAll(cleanUp)

const isInstalled = (shell: string): boolean => spawnSync(shell, ['--version']).status === 0
const scriptFor = async (shell: string): Promise<string> => (await runHere(['completion', shell], {})).stdout

function runShell(shell: string, args: readonly string[], cwd?: string): string {
  const { status, stdout, stderr } = spawnSync(shell, args, { encoding: 'utf8', cwd, timeout: SHELL_MS })
  expect([status, stderr]).toEqual([0, ''])
  return stdout
}

/** Returns bash's offers at the end of each line. */
async function offersOfBash(lines: readonly Line[]): Promise<string[][]> {
  const asked = lines.map(
    (line) =>
      `COMP_WORDS=(${line.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${line.length - 1}; _sonant; echo "\${COMPREPLY[*]}"`,
  )
  const stdout = runShell('bash', ['-c', [await scriptFor('bash'), ...asked].join('\n')])
  return stdout
    .trimEnd()
    .split('\n')
    .map((offers) => offers.split(' ').filter((word) => word !== ''))
}

const groupsIn = (command: Command, path: string[] = ['sonant']): { path: string[]; names: string[] }[] =>
  command.commands.length === 0
    ? []
    : [
        { path, names: command.commands.map((inner) => inner.name()) },
        ...command.commands.flatMap((inner) => groupsIn(inner, [...path, inner.name()])),
      ]

/** Each shell offers these; a shell without words to offer completes file names. */
const CASES: readonly (readonly [string, string])[] = [
  ['sonant acc', 'accounts'],
  ['sonant workers ', 'list'],
  ['sonant work --po', '--pools'],
  ['sonant jobs show job_x --j', '--json'],
  ['sonant jobs export --outp', '--output'],
  ['sonant users create --role mem', 'member'],
  ['sonant completion z', 'zsh'],
  ['sonant keys create --name work --exp', '--expires'],
  ['sonant endpoints apply here', 'here.yaml'],
  ['sonant work --server here', 'here.yaml'],
]

async function dirWithFile(): Promise<string> {
  const dir = await makeTempDir()
  await writeFile(join(dir, 'here.yaml'), '')
  return dir
}

describe.skipIf(!isInstalled('bash'))('bash (skipped where it is not installed)', () => {
  test('is offered the commands of each group, and none of another', async () => {
    const groups = groupsIn(buildProgram())
    expect(groups.length).toBeGreaterThan(8)
    expect(await offersOfBash(groups.map(({ path }) => [...path, '']))).toEqual(groups.map(({ names }) => names))
  })

  test.each(CASES)('completes "%s" with %s, a name of a file by itself', async (line, completed) => {
    const isFile = completed === 'here.yaml'
    expect(await offersOfBash([line.split(' ')])).toEqual([isFile ? [] : [completed]])
  })

  test.each([
    ['nothing for an argument that may be anything, so that files are', ['endpoints', 'apply', ''], []],
    ['nothing for a value that may be anything', ['keys', 'list', '--account', ''], []],
    ['nothing for one that begins with a dash', ['keys', 'list', '--account', '-'], []],
    ['the choices of an argument', ['completion', ''], ['bash', 'zsh', 'fish']],
    ['none once it is given', ['completion', 'bash', ''], []],
    ['the choices of a value', ['users', 'create', '--role', ''], ['owner', 'member']],
    ['the choices of a value behind "="', ['users', 'create', '--role', '='], ['owner', 'member']],
    ['options behind a dash alone', ['keys', 'list', '-'], ['--account', '--json', '--help']],
    ['no option behind "--"', ['keys', 'list', '--', '-'], []],
    ['options behind a value that is called as a command', ['keys', 'create', '--name', 'list', '--e'], ['--expires']],
  ])('is offered %s', async (_what, line, offers) => {
    expect(await offersOfBash([['sonant', ...line]])).toEqual([offers])
  })
})

describe.skipIf(!isInstalled('zsh'))('zsh (skipped where it is not installed)', () => {
  test('completes commands, options, choices and files', async () => {
    const dir = await dirWithFile()
    await writeFile(join(dir, 'completion.zsh'), await scriptFor('zsh'))
    // A shell at a terminal of its own: its line is written down after the TAB, and then cleared.
    const setUp = [
      'unset zle_bracketed_paste; unsetopt beep; PS1=; autoload -U compinit; compinit -D -u; source ./completion.zsh',
      'noted() { print -r -- "$BUFFER" >> noted; zle kill-whole-line }; zle -N noted; bindkey \'^X\' noted; print ready > noted',
    ]
    const asked = CASES.map(([line]) => `zpty -w -n shell $'${line}\\t\\C-x'; wait_for`)
    const script = [
      'zmodload zsh/zpty; zpty shell "cd $PWD; zsh -f -i"; integer lines=0',
      'wait_for() { (( ++lines )); until (( $(wc -l < noted) >= lines )); do zpty -r -t shell out; sleep 0.02; done }',
      ...setUp.map((line) => `zpty -w shell ${quoted(line)}`),
      'until [[ -s noted ]]; do sleep 0.02; done; lines=1',
      ...asked,
      'zpty -d shell; cat noted',
    ].join('\n')
    const [, ...noted] = runShell('zsh', ['-f', '-c', script], dir).trimEnd().split('\n')
    expect(noted.map((line) => line.trimEnd())).toEqual(CASES.map(wholeLine))
  })
})

describe.skipIf(!isInstalled('fish'))('fish (skipped where it is not installed)', () => {
  test('completes commands, options, choices and files', async () => {
    const dir = await dirWithFile()
    const asked = CASES.map(([line]) => `complete -C ${quoted(line)}; echo .`)
    const stdout = runShell('fish', ['--no-config', '-c', [await scriptFor('fish'), ...asked].join('\n')], dir)
    expect(stdout.split('\n.\n').slice(0, -1)).toEqual(CASES.map(([, completed]) => completed))
  })

  test('is offered the commands of each group, and none of another', async () => {
    const groups = groupsIn(buildProgram())
    const asked = groups.map(({ path }) => `complete -C ${quoted(`${path.join(' ')} `)}; echo .`)
    const stdout = runShell('fish', ['--no-config', '-c', [await scriptFor('fish'), ...asked].join('\n')])
    const offers = stdout.split('\n.\n').slice(0, -1)
    expect(offers.map((words) => words.split('\n').sort())).toEqual(groups.map(({ names }) => names.toSorted()))
  })
})

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
const wholeLine = ([line, completed]: readonly [string, string]): string => line.replace(/\S*$/, completed)

test('sonant completion of another shell is a violation', async () => {
  const { code, stdout } = await runHere(['completion', 'csh'], {})
  expect([code, stdout]).toEqual([1, ''])
})
