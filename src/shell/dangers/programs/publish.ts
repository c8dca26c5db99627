// What publishes, deploys, or changes something elsewhere. A step that says so may do it.

import { found, type Check, type Checks } from '../call.ts'
import { shown } from '../marks.ts'

/** By program: what the rest of the command line looks like. */
const lines: readonly (readonly [programs: string, pattern: RegExp, what: string])[] = [
  [
    'npm pnpm yarn bun',
    /^(npm )?(publish|unpublish|deprecate|dist-tag (add|rm)|access|owner (add|rm))\b(?!.*--dry-run)/,
    'changes a registry of packages',
  ],
  ['lerna changeset', /^publish\b/, 'changes a registry of packages'],
  ['semantic-release release-it np', /^(?!.*(--dry-run|-d\b))/, 'publishes a release'],
  ['cargo', /^(publish|yank|owner)\b(?!.*(--dry-run|-n\b))/, 'changes a registry of packages'],
  ['twine', /^upload\b/, 'changes a registry of packages'],
  ['poetry uv flit hatch', /^publish\b(?!.*--dry-run)/, 'changes a registry of packages'],
  ['gem', /^(push|yank)\b/, 'changes a registry of packages'],
  ['mvn mvnw gradle gradlew', /(^| )(deploy|publish)( |$)/, 'changes a registry of packages'],
  ['dotnet nuget', /^(nuget )?push\b/, 'changes a registry of packages'],
  [
    'gh glab hub',
    /^(release (create|delete|edit|upload)|(pr|mr) (create|merge|close|comment|edit|review)|issue (create|close|comment|delete|edit)|repo (create|delete|edit|archive|rename)|gist create|workflow (run|disable|enable)|secret (set|delete)|variable (set|delete)|api .*(-X|--method)[ =]?(POST|PUT|PATCH|DELETE)|api .*(-f|-F|--field|--raw-field|--input)\b|label (create|delete))/,
    'changes the forge',
  ],
  [
    'docker podman nerdctl buildah skopeo',
    /^((compose|image|buildx|manifest) )?(push|copy)\b|^(buildx )?build\b.* --push\b/,
    'publishes an image',
  ],
  ['helm', /^(install|upgrade|uninstall|delete|rollback|push)\b(?!.*--dry-run)/, 'changes a cluster'],
  [
    'kubectl oc',
    /^(-\S+ \S+ )*(apply|delete|create|replace|patch|scale|rollout (restart|undo)|drain|cordon|exec|edit|set|label|annotate|run|expose)\b(?!.*--dry-run)/,
    'changes a cluster',
  ],
  [
    'terraform tofu terragrunt',
    /^(-\S+ )*(apply|destroy|import|taint|untaint|state (rm|mv|push)|force-unlock|run-all (apply|destroy))\b/,
    'changes infrastructure',
  ],
  ['pulumi', /^(up|destroy|refresh|cancel|import)\b/, 'changes infrastructure'],
  ['cdk sst serverless sls', /^(deploy|destroy|remove)\b/, 'changes infrastructure'],
  ['ansible-playbook', /^(?!.*(--check|--syntax-check|--list-\w+))/, 'changes other machines'],
  ['ansible', /(-m|--module-name)/, 'changes other machines'],
  [
    'aws',
    /^(?!.*--dry-?run).*\b(s3 (rm|cp .*s3:\/\/\S+$|mv|sync|rb|mb)|s3api (put|delete)\S*|\S+ (delete|terminate|create|put|update|run|start|stop|modify|deregister|register|invoke)(-\S+)?)\b/,
    'changes the cloud',
  ],
  [
    'gcloud',
    /\b(delete|deploy|create|update|reset|stop|start|add-iam-policy-binding|set-iam-policy)\b/,
    'changes the cloud',
  ],
  ['gsutil', /^(-m )?(rm|cp .* gs:|mv|rsync|rb|mb)\b/, 'changes the cloud'],
  ['az', /\b(delete|create|update|deploy|up|start|stop|restart)\b/, 'changes the cloud'],
  ['rclone', /^(sync|copy|move|delete|purge|copyto|moveto)\b(?!.*--dry-run)/, 'changes the cloud'],
  [
    'vercel netlify wrangler surge now',
    /^(?!.*(--help|--version|\bdev\b|\bbuild\b|whoami|\bls\b|\blist\b|\blogs\b))/,
    'deploys',
  ],
  [
    'fly flyctl heroku eb firebase cap',
    /\b(deploy|destroy|apps:destroy|pg:reset|scale|ps:scale|releases:rollback|terminate)\b/,
    'deploys',
  ],
  ['dropdb createdb dropuser', /./, 'changes a database'],
  ['redis-cli valkey-cli', /\b(flushall|flushdb|del|shutdown|config set)\b/i, 'changes a database'],
  ['rails rake bin/rails', /\bdb:(drop|reset|purge|migrate:reset|schema:load|truncate\w*)\b/, 'deletes a database'],
  ['prisma', /\b(migrate (reset|deploy)|db push)\b/, 'changes a database'],
  ['manage.py', /^flush|reset_db/, 'deletes a database'],
  ['slack-notify sendmail mail mailx mutt msmtp', /./, 'sends a message'],
]

const destructive =
  /\b(drop\s+(table|database|schema|index|view|user|role|owned|column)|truncate\s+(table\s+)?\w|delete\s+from|alter\s+(user|role)|grant\s|revoke\s|dropDatabase|deleteMany|\.drop\(|\.remove\()/i

/** A client of a database: what it is told to do, in an option or on its input. */
const database: Check = ({ name, args, input }) => {
  const text = [...args, input.text ?? ''].join(' ')
  const what = destructive.exec(text)?.[0]
  return what === undefined
    ? undefined
    : found('shell-external-effect', `${name} deletes from a database or changes rights (${shown(what)})`)
}

export const publishing: Checks = {
  ...Object.fromEntries(
    [...new Set(lines.flatMap(([programs]) => programs.split(' ')))].map((program): [string, Check] => [
      program,
      ({ args }) => {
        const line = args.join(' ')
        const [, , what] =
          lines.find(([programs, pattern]) => programs.split(' ').includes(program) && pattern.test(line)) ?? []
        return what === undefined ? undefined : found('shell-external-effect', `${program} ${shown(line)} ${what}`)
      },
    ]),
  ),
  'psql mysql mariadb sqlite3 sqlcmd mongo mongosh cqlsh clickhouse-client duckdb': database,
}
