const UNRELEASED = '## Unreleased\n'

/**
 * What is unreleased belongs to a version from here on, under a new and empty heading.
 * @throws where the version has its heading already, and where nothing is
 */
export function released(changelog: string, version: string, day: string): string {
  const isThere = changelog.split('\n').some((line) => `${line} `.startsWith(`## ${version} `))
  if (isThere) throw new Error(`The changelog has the version ${version} already.`)
  const [before, after] = changelog.split(UNRELEASED) as [string, string | undefined]
  const [news = ''] = after?.split(/^## /m) ?? []
  if (after === undefined || !/^- /m.test(news)) throw new Error('The changelog has nothing under "## Unreleased".')
  return `${before}${UNRELEASED}\n## ${version} (${day})\n${after}`
}
