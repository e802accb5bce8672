function T = armtap_read(source, varargin)
%ARMTAP_READ  Telemetry of a robot, from captures or from the robot itself.
%   T = ARMTAP_READ('robot.pcap.gz') runs armtap and returns a timetable with a variable for each field, in UTC; without
%   timetables (Octave) the same as a struct, with time_ns. A vector of six is a matrix with six columns. Fields that a
%   record lacks are NaN. Units are in T.Properties.VariableUnits, other metadata in T.Properties.UserData:
%   robot, stream, protocol, names of modes; in a struct in T.meta.
%
%   T = ARMTAP_READ({'a.pcap', 'b.pcap'}) reads the files of one capture together.
%   T = ARMTAP_READ('rtde://10.0.0.2', 'For', '2s') records a robot for that time.
%
%   Options, as pairs of a name and a value:
%     'Stream'   the number of the stream, if there are several (armtap info lists them)
%     'Fields'   names or globs, comma-separated or in a cell: 'actual_q,*_mode', {'timestamp', 'actual_q'}
%     'From'     the start time, as for armtap export: '+1.5', '2026-01-31T12:00:00Z'; a datetime; a number of
%                seconds since the epoch, as in 'time'
%     'To'       the end time
%     'For'      robot only: how long to record, '2s', '500ms' or a number of seconds; default: one second
%     'Program'  the program (default: armtap)
%
%   Errors of armtap become errors, its warnings (gaps, ...) become warnings. Messages name options of the
%   command line: --stream 1 is 'Stream', 1 here. If a robot sends nothing, the capture that the message names is kept.

wish = struct('stream', '', 'fields', '', 'from', '', 'to', '', 'for', '', 'program', 'armtap');
if mod(numel(varargin), 2) ~= 0
    error('armtap:option', 'armtap_read: options are pairs of a name and a value');
end
for k = 1:2:numel(varargin)
    name = lower(char(varargin{k}));
    if ~isfield(wish, name)
        error('armtap:option', 'armtap_read: no option ''%s''; there are %s', name, strjoin(fieldnames(wish)', ', '));
    end
    wish.(name) = text_of(varargin{k + 1});
end
if ~iscell(source) && ~ischar(source) && ~isa(source, 'string')
    error('armtap:source', 'armtap_read: name a capture or a robot as text; several files in a cell');
end
source = cellstr(source);
is_robot = any(~cellfun(@isempty, regexp(source, '^(rtde|realtime|primary)://')));
if ~is_robot && ~isempty(wish.for)
    error('armtap:option', 'armtap_read: ''For'' is for robots; ''From'' and ''To'' choose a part of a capture');
end

folder = tempname();
mkdir(folder);
if is_robot
    source = record(wish, source, folder);
end
try
    S = export(wish, source, fullfile(folder, 'rows.mat'));
catch reason
    remove(folder);
    rethrow(reason);
end
remove(folder);
T = timetable_of(S);
end

% A list, a number, a time or a text as armtap takes it.
function text = text_of(value)
if isnumeric(value) && all(value == round(value))
    text = sprintf('%.0f', value);
elseif isnumeric(value)
    text = sprintf('%.9f', value);
elseif isa(value, 'datetime')
    value.TimeZone = 'UTC';
    text = char(value, 'yyyy-MM-dd''T''HH:mm:ss.SSSSSSSSS''Z''');
else
    text = strjoin(cellstr(value), ',');
end
end

function word = quoted(text)
word = ['''' strrep(char(text), '''', '''\''''') ''''];
end

% The option and its value, if there is one.
function words = option(name, value)
words = '';
if ~isempty(value)
    words = [' --' name '=' quoted(value)];
end
end

% Runs armtap; its message becomes an error or a warning.
function run(wish, words)
[status, said] = system([quoted(wish.program) words ' </dev/null 2>&1']);
said = strtrim(said);
if status == 127
    error('armtap:program', 'armtap_read: no program ''%s''; install armtap, or give its path as ''Program''', wish.program);
elseif status ~= 0
    if isempty(said)
        said = sprintf('armtap: ended with status %d', status);
    end
    error('armtap:failed', '%s', said);
elseif ~isempty(said)
    warning('armtap:remark', '%s', said);
end
end

function words = operands(source)
words = ' --';
for k = 1:numel(source)
    words = [words ' ' quoted(source{k})]; %#ok<AGROW>
end
end

function capture = record(wish, source, folder)
capture = {fullfile(folder, 'robot.pcap')};
seconds = wish.for;
if isempty(seconds)
    seconds = '1s';
end
fields = '';
if ~isempty(strfind(source{1}, 'rtde://')) %#ok<STREMP>
    fields = option('fields', wish.fields);
end
run(wish, [' record' option('for', seconds) fields ' -o ' quoted(capture{1}) operands(source)]);
end

% Version 5 has texts and logicals that Octave sees as such.
function S = export(wish, source, file)
run(wish, [' export --dialect=v5 -o ' quoted(file) option('stream', wish.stream) option('fields', export_fields(wish)) ...
           option('from', wish.from) option('to', wish.to) operands(source)]);
S = load(file);
end

% The time is always among them.
function fields = export_fields(wish)
fields = wish.fields;
if ~isempty(fields) && isempty(regexp(fields, '(^|,)time_ns(,|$)', 'once'))
    fields = ['time_ns,' fields];
end
end

function remove(folder)
files = dir(folder);
for k = 1:numel(files)
    if ~files(k).isdir
        delete(fullfile(folder, files(k).name));
    end
end
rmdir(folder);
end

function T = timetable_of(S)
T = S;
if exist('timetable', 'class') ~= 8
    return
end
names = setdiff(fieldnames(S), {'time', 'time_ns', 'meta'}, 'stable');
columns = cell(1, numel(names));
units = repmat({''}, 1, numel(names));
for k = 1:numel(names)
    columns{k} = S.(names{k});
    if ischar(columns{k})
        columns{k} = strtrim(string(columns{k}));
    end
    if isfield(S.meta, 'units') && isfield(S.meta.units, names{k})
        units{k} = S.meta.units.(names{k});
    end
end
times = datetime(S.time_ns, 'ConvertFrom', 'epochtime', 'TicksPerSecond', 1e9, 'TimeZone', 'UTC');
T = timetable(times, columns{:}, 'VariableNames', names);
T.Properties.VariableUnits = units;
T.Properties.UserData = S.meta;
end
