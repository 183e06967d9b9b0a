const UNRELEASED = '## Unreleased\n'

/**
 * What is unreleased belongs to a version from here on, under a new and empty heading.
 * @throws where nothing is
 */
export function released(changelog: string, version: string, day: string): string {
  const [before, after] = changelog.split(UNRELEASED) as [string, string | undefined]
  const [news = ''] = after?.split(/^## /m) ?? []
  if (after === undefined || !/^- /m.test(news)) throw new Error('The changelog has nothing under "## Unreleased".')
  return `${before}${UNRELEASED}\n## ${version} (${day})\n${after}`
}
