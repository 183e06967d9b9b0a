import { ServedFile } from '../../http/served-file.ts'

export const NOT_BUILT = new ServedFile(
  'text/html; charset=utf-8',
  `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>The console is not built - Sonant</title>
</head>
<body>
<h1>The console is not built</h1>
<p>This installation lacks the development packages that build it. The service itself runs: only these pages are missing.</p>
<p>In the folder of the checkout run <code>npm ci</code> without <code>--omit=dev</code>, then start the service again.
To keep the installation small, run <code>npm prune --omit=dev</code> afterwards: what was built stays.</p>
<p>The package that <code>npm pack</code> makes holds the built console.</p>
</body>
</html>
`,
)
