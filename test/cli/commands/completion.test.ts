import { spawnSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { runHere } from '../../setup/command-here.ts'

const has = (shell: string): boolean => spawnSync(shell, ['--version']).status === 0

/** What bash offers behind these words, the last of which is being typed. */
function offered(script: string, ...words: string[]): string[] {
  const line = `${script}\nCOMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}; _sonant; printf '%s\\n' "\${COMPREPLY[@]}"`
  const { status, stdout, stderr } = spawnSync('bash', ['-c', line], { encoding: 'utf8' })
  expect([status, stderr]).toEqual([0, ''])
  return stdout.split('\n').filter((word) => word !== '')
}

describe('sonant completion', { timeout: 60_000 }, () => {
  test.skipIf(!has('bash'))('bash completes groups, commands and options', async () => {
    const { stdout } = await runHere(['completion', 'bash'], {})
    expect(offered(stdout, 'sonant', 'acc')).toEqual(['accounts'])
    expect(offered(stdout, 'sonant', 'accounts', '')).toEqual(
      expect.arrayContaining(['list', 'create', 'credit', 'show']),
    )
    expect(offered(stdout, 'sonant', 'jobs', 'export', '--o')).toEqual(['--output'])
    expect(offered(stdout, 'sonant', 'jobs', 'show', 'job_x', '--j')).toEqual(['--json'])
  })

  test('zsh and fish have scripts of their own, and another shell is a violation', async () => {
    const [zsh, fish, other] = await Promise.all(
      ['zsh', 'fish', 'csh'].map((shell) => runHere(['completion', shell], {})),
    )
    expect(zsh?.stdout).toContain('bashcompinit')
    expect(fish?.stdout).toContain(
      "-n '__fish_seen_subcommand_from keys; and __fish_seen_subcommand_from create' -l account",
    )
    expect([other?.code, other?.stdout]).toEqual([1, ''])
    if (has('fish')) expect(spawnSync('fish', ['-n', '-c', fish!.stdout]).status).toBe(0)
  })
})
